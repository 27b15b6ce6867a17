import { readFileSync } from 'node:fs';
import { findContradictions } from '../../src/recall/claims/contradictions.ts';
const half = process.argv[2];
const lines = readFileSync(new URL('./pairs.txt', import.meta.url),'utf8').split('\n').filter(l=>/^[+-] /.test(l));
const count = {'+':0,'-':0}; let tp=0,fp=0,fn=0,tn=0;
for (const l of lines) { const s=l[0] as '+'|'-'; const isSeen = count[s]++%2===0; if ((half==='seen')!==isSeen) continue;
 const [a,b]=l.slice(2).split(' | '); const f = await findContradictions({title:'',text:a!},[{id:'x',title:'',text:b!}]);
 const said=f.length>0; if(s==='+'){ if(said) tp++; else {fn++; if(half==='seen')console.log('missed',l)} } else { if(said){fp++; if(half==='seen')console.log('WRONG',l,f[0]!.why)} else tn++; } }
console.log(half,{tp,fp,fn,tn},'precision',tp/(tp+fp),'recall',tp/(tp+fn));
