/**
 * How the pages of signing in look: the colours, type and measures of the page itself (`web/src/styles.css`), without any
 * of its files. They must stand where no script runs and before anybody is known.
 */
export const STYLE = `
:root{color-scheme:light dark;
--ground:oklch(0.977 0.006 95);--raised:oklch(0.995 0.003 95);--sunken:oklch(0.953 0.008 100);
--ink:oklch(0.27 0.035 195);--soft:oklch(0.42 0.028 200);--line:oklch(0.897 0.01 120);--edge:oklch(0.8 0.016 160);
--kelp:oklch(0.47 0.1 160);--tide:oklch(0.46 0.085 225);--tide-wash:oklch(0.94 0.022 215);--amber:oklch(0.5 0.1 68);
--amber-wash:oklch(0.945 0.045 85)}
@media (prefers-color-scheme:dark){:root{
--ground:oklch(0.2 0.018 195);--raised:oklch(0.238 0.02 195);--sunken:oklch(0.172 0.016 195);
--ink:oklch(0.925 0.012 180);--soft:oklch(0.775 0.018 190);--line:oklch(0.292 0.02 195);--edge:oklch(0.39 0.022 195);
--kelp:oklch(0.775 0.13 160);--tide:oklch(0.785 0.085 218);--tide-wash:oklch(0.3 0.04 220);--amber:oklch(0.815 0.12 82);
--amber-wash:oklch(0.3 0.045 80)}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:14px/22px ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;
font-variant-numeric:tabular-nums;-webkit-font-smoothing:antialiased}
main{max-width:31rem;margin:0 auto;padding:max(24px,11vh) 20px 48px}
.mark{display:flex;align-items:center;gap:8px;color:var(--soft);font-weight:600;margin-bottom:28px}
.mark svg{color:var(--kelp)}
h1{font-size:20px;line-height:28px;font-weight:600;margin:0 0 8px}
p{margin:8px 0}
a{color:var(--tide);text-underline-offset:2px}
code{font:12px/18px ui-monospace,"SF Mono","Cascadia Code",Menlo,Consolas,monospace;background:var(--sunken);border-radius:4px;
padding:1px 5px;overflow-wrap:anywhere}
pre{background:var(--sunken);border-radius:6px;padding:8px 12px;margin:12px 0;overflow-x:auto}
pre code{padding:0;background:none;overflow-wrap:normal}
.soft,small{color:var(--soft)}
small{font-size:12px;line-height:16px}
blockquote{margin:16px 0;padding:2px 0 2px 14px;border-left:2px solid var(--edge)}
blockquote strong{font-size:15px;overflow-wrap:anywhere}
dl{display:grid;grid-template-columns:auto minmax(0,1fr);gap:2px 16px;margin:6px 0 0;font-size:12px;line-height:18px}
dt{color:var(--soft)}
dd{margin:0;overflow-wrap:anywhere;font-family:ui-monospace,"SF Mono",Menlo,Consolas,monospace}
mark{background:var(--amber-wash);color:var(--amber);border-radius:3px;padding:0 3px;font:10px/14px ui-monospace,Menlo,monospace}
fieldset{border:0;border-top:1px solid var(--line);margin:18px 0 0;padding:10px 0 0;min-width:0}
legend{font-size:12px;font-weight:600;color:var(--soft);padding:0 8px 0 0}
label{display:grid;grid-template-columns:16px minmax(0,1fr);gap:0 10px;align-items:start;padding:7px 8px;border-radius:6px;cursor:pointer}
label:hover{background:var(--sunken)}
label:has(:checked){background:var(--tide-wash)}
label small{grid-column:2}
input{accent-color:var(--tide);width:16px;height:16px;margin:3px 0 0}
.deeds{display:flex;gap:10px;margin:24px 0 0}
button{font:inherit;min-height:34px;padding:4px 18px;border:1px solid var(--edge);border-radius:6px;background:var(--raised);
color:var(--ink);cursor:pointer}
button:hover{border-color:var(--soft)}
button[value=allow]{background:var(--kelp);border-color:var(--kelp);color:var(--ground);font-weight:600}
:focus-visible{outline:2px solid var(--tide);outline-offset:2px;border-radius:4px}
`;

/** A kelp frond on its holdfast. */
export const MARK =
  '<svg width="22" height="22" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="M12 21c0-5-1.2-7 .2-11.5M12 21c-.4-4.5-4.2-4.6-4.4-9M12 21c.3-5.5 4-5.5 4.2-12.5M7 21.5h10M12.2 9.5c.5-2-.6-3-.1-5M7.6 12c-.3-1.6.5-2.4.1-4M16.2 8.5c.4-1.8-.5-2.6-.1-4.5"/></svg>';
