import { test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { runTool } from '/work/wt/e/test/support/engine.ts'
const f=(n:string)=>({name:n,content:readFileSync('/tmp/e170/'+n)})
test('time', async()=>{
 await runTool('document.rotate-pages',{file:'report.pdf',operations:{rotations:{0:90}}})
 for (let r=0;r<2;r++) for (const k of ['f','a']) {
  const time=async(what:string,run:()=>Promise<unknown>)=>{const t=performance.now(); try{await run()}catch(e){console.log(k,what,String(e))} console.log(k,what,Math.round(performance.now()-t))}
  await time('merge',()=>runTool('document.merge-pdf',{files:[0,1,2,3,4].map(i=>f(k+i+'.pdf'))}))
  const file=f(k+'250.pdf')
  await time('split',()=>runTool('document.split-pdf',{file,ranges:'1-10,11-'}))
  await time('rotate',()=>runTool('document.rotate-pages',{file,operations:{rotations:{0:90}}}))
  await time('compress',()=>runTool('document.compress-pdf',{file}))
  await time('watermark',()=>runTool('document.pdf-watermark',{file,text:'Draft'}))
  await time('sign',()=>runTool('document.document-sign',{file,signature:'logo.png',placements:[{page:0,x:.1,y:.1,w:.2,h:.2}]}))
  const small=f(k+'0.pdf')
  if(r===0){await time('images50',()=>runTool('document.pdf-to-images',{file:small,dpi:'72'}))
  await time('word50',()=>runTool('document.pdf-to-word',{file:small}))}
 }
},600000)
