/** Object streams are searched without qpdf only when all of them were found; anything unusual is left to qpdf. */
import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { deflateSync } from 'node:zlib'
import { PDFDocument } from '@cantoo/pdf-lib'
import { namedContent } from '../../../../src/lib/pdf/structure/active-content.ts'
import { objectListsIn } from '../../../../src/lib/pdf/structure/object-lists.ts'
import { freshPath } from '../../../support/formats/rasters.ts'
import { outputOf } from '../../../support/program.ts'

async function saved(script: boolean): Promise<Buffer> {
  const document = await PDFDocument.create()
  for (let i = 0; i < 5; i++) document.addPage().drawText(`page ${i}`, { x: 50, y: 700 })
  if (script) document.addJavaScript('hello', 'app.alert("hello")')
  return Buffer.from(await document.save({ useObjectStreams: true }))
}

/** As qpdf writes them. @param mode of object streams */
function rewritten(bytes: Buffer, mode: 'generate' | 'disable'): Buffer {
  const [from, to] = [freshPath('from.pdf'), freshPath('to.pdf')]
  writeFileSync(from, bytes)
  outputOf('qpdf', [`--object-streams=${mode}`, from, to])
  return readFileSync(to)
}

const unwanted = (): Promise<Uint8Array> => Promise.reject(new Error('qpdf was asked'))

test.each([true, false])('files of pdf-lib and qpdf, with a script: %p', async (script) => {
  const document = await saved(script)
  expect(rewritten(document, 'generate').includes('/JavaScript')).toBe(false)
  for (const bytes of [document, rewritten(document, 'generate')]) {
    expect(bytes.includes('/ObjStm')).toBe(true)
    const plain = async (): Promise<Buffer> => rewritten(bytes, 'disable')
    const known = { active: script, named: script, signed: false }
    // a match is checked again outside the data of streams
    expect(await namedContent(bytes, script ? plain : unwanted)).toEqual(known)
    expect(rewritten(bytes, 'disable').includes('/JavaScript')).toBe(script)
  }
})

const list = deflateSync('7 0 << /S /JavaScript /JS (app.alert(1)) >>')
const decoy = deflateSync('7 0 << /Type /Page >>')
const stream = (dictionary: string, data: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${dictionary}stream\n`), data, Buffer.from('\nendstream endobj\n')])
const usual = (data: Buffer, more = ''): string =>
  `5 0 obj << /Type /ObjStm /N 1 /First 4 /Filter /FlateDecode ${more}/Length ${data.length} >> `

test('a stream that only looks like an object list, or hides one, is unknown', () => {
  const header = Buffer.from('%PDF-1.7\n')
  const found = (...parts: Buffer[]) => objectListsIn(Buffer.concat([header, ...parts]))
  expect(found(stream(usual(list), list))).toEqual([Buffer.from('7 0 << /S /JavaScript /JS (app.alert(1)) >>')])
  expect(found(stream('5 0 obj << /Length 3 >> ', Buffer.from('abc')))).toEqual([])
  // a stream inside a string, and after a comment, before the real one
  const inString = `5 0 obj << /Type /ObjStm /N 1 /First 4 /Filter /FlateDecode /X (>> `
  expect(found(stream(inString, decoy), stream(`) /Length ${list.length} >> `, list))).toBeUndefined()
  const comment = `5 0 obj << /Type /ObjStm /N 1 /First 4 /Filter /FlateDecode %>> `
  expect(found(stream(comment, decoy), stream(`/Length ${list.length} >> `, list))).toBeUndefined()
  // a list in the data of another stream
  const inner = stream(usual(list), list)
  expect(found(stream(`4 0 obj << /Length ${inner.length} >> `, inner))).toBeUndefined()
  // other filters, parameters, damage, and a list without its type
  expect(found(stream(usual(list, '/DecodeParms << /Predictor 12 >> '), list))).toBeUndefined()
  expect(found(stream(usual(list).replace('/FlateDecode', '[/ASCIIHexDecode /FlateDecode]'), list))).toBeUndefined()
  expect(found(stream(usual(list), list.subarray(0, -8)))).toBeUndefined()
  expect(found(stream(usual(list).replace('/Type /ObjStm', ''), list))?.length).toBe(1)
  // an outline has the same key
  expect(found(stream(usual(list), list), Buffer.from('8 0 obj << /First 9 0 R >> endobj'))).toBeUndefined()
})

test('qpdf is asked about unknown streams, and about escaped names', async () => {
  const script = await saved(true)
  let asked = 0
  const plain = async (): Promise<Uint8Array> => {
    asked++
    return rewritten(script, 'disable')
  }
  const odd = Buffer.from(script.toString('latin1').replace('/Type /ObjStm', '/Type /ObjS#74m'), 'latin1')
  expect(odd.includes('#74')).toBe(true)
  expect(await namedContent(odd, plain)).toEqual({ active: true, named: true, signed: false })
  expect(asked).toBe(1)
})
