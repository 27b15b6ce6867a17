/** Words of names, descriptions and questions, as the ranking of tools compares them. */
const STOP = new Set(
  (
    'a an the of to in on at for from with by as is are was be been it its this that these those i me my we our you your he she they them his her their and or but if ' +
    'then than so do does did can could would should will shall may might must have has had not no please want wants need needs like what which who whom whose when where why how ' +
    'there here some any all into onto about over under up out off just let us give get'
  ).split(' '),
);

/** `createPullRequest`, `create_pull_request` and `github__create-pull-request` are the same words. */
export function wordsOf(text: string): string[] {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '' && word.length <= 40);
}

/** Everyday words say little; a question made of nothing else is taken as it is. */
export function contentWords(text: string): string[] {
  const words = wordsOf(text);
  const kept = words.filter((word) => !STOP.has(word));
  return (kept.length > 0 ? kept : words).map(stem);
}

/** Plurals, -ing, -ed and the like: enough that `listing`, `lists` and `list` meet, and no more. */
export function stem(word: string): string {
  if (word.length <= 3 || !/^[a-z]+$/.test(word)) return word;
  let root = word;
  if (/(?:sses|shes|ches|xes|zzes)$/.test(root)) root = root.slice(0, -2);
  else if (/[^aeiou]ies$/.test(root)) root = `${root.slice(0, -3)}y`;
  else if (/[^su]s$/.test(root)) root = root.slice(0, -1);
  if (/[aeiouy].*ing$/.test(root) && root.length > 5) root = undoubled(root.slice(0, -3));
  else if (/[aeiouy].*[^e]ed$/.test(root) && root.length > 4) root = undoubled(root.slice(0, -2));
  else if (/(?:ation|ition)$/.test(root) && root.length > 7) root = root.slice(0, -3);
  else if (/(?:ally|ely)$/.test(root)) root = root.slice(0, -2);
  if (root.length > 4 && root.endsWith('e')) root = root.slice(0, -1);
  return root;
}

function undoubled(root: string): string {
  return /([bdgmnprt])\1$/.test(root) ? root.slice(0, -1) : root;
}
