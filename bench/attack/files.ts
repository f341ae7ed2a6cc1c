/** Small files that are expensive to read without checks. */
import { Database } from 'bun:sqlite'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { ZipFile } from 'yazl'

type Bytes = Uint8Array<ArrayBuffer>
const ascii = (text: string): Bytes => new Uint8Array(Buffer.from(text, 'latin1'))

/** A TIFF of `side` by `side` pixels without a single strip: 8 bits, one band, strips of 60 rows. */
export function sparseTiff(side: number): Bytes {
  const strips = Math.ceil(side / 60)
  const entries: [tag: number, type: number, count: number, value: number][] = [
    [256, 4, 1, side],
    [257, 4, 1, side],
    [258, 3, 1, 8],
    [259, 3, 1, 1],
    [262, 3, 1, 1],
    [273, 4, strips, 0],
    [277, 3, 1, 1],
    [278, 4, 1, 60],
    [279, 4, strips, 0],
  ]
  const end = 8 + 2 + entries.length * 12 + 4
  const bytes = Buffer.alloc(end + strips * 8)
  bytes.write('II*\0', 0, 'latin1')
  bytes.writeUInt32LE(8, 4)
  bytes.writeUInt16LE(entries.length, 8)
  for (const [i, [tag, type, count, value]] of entries.entries()) {
    const at = 10 + i * 12
    bytes.writeUInt16LE(tag, at)
    bytes.writeUInt16LE(type, at + 2)
    bytes.writeUInt32LE(count, at + 4)
    if (count > 1) bytes.writeUInt32LE(end + (tag === 279 ? strips * 4 : 0), at + 8)
    else if (type === 3) bytes.writeUInt16LE(value, at + 8)
    else bytes.writeUInt32LE(value, at + 8)
  }
  return new Uint8Array(bytes)
}

/** A page whose content unpacks to `megabytes` of spaces. */
export function pdfBomb(megabytes: number): Bytes {
  const content = deflateSync(Buffer.alloc(megabytes * 2 ** 20, 0x20)).toString('latin1')
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R>>',
    `<</Length ${content.length}/Filter/FlateDecode>>\nstream\n${content}\nendstream`,
  ]
  let text = '%PDF-1.7\n'
  const offsets = objects.map((object, i) => {
    const at = text.length
    text += `${i + 1} 0 obj\n${object}\nendobj\n`
    return at
  })
  const table = offsets.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('')
  const start = text.length
  text += `xref\n0 5\n0000000000 65535 f \n${table}trailer\n<</Size 5/Root 1 0 R>>\nstartxref\n${start}\n%%EOF\n`
  return ascii(text)
}

/** A GeoPackage with a column that SQLite computes: 800 MB for each row. */
export function generatedColumn(geopackage: Bytes): Bytes {
  const dir = mkdtempSync(join(tmpdir(), 'groundwave-attack-file-'))
  try {
    const path = join(dir, 'a.gpkg')
    writeFileSync(path, geopackage)
    const database = new Database(path)
    const { name } = database.query('SELECT table_name AS name FROM gpkg_contents').get() as { name: string }
    database.run(`ALTER TABLE "${name}" ADD COLUMN huge TEXT AS (printf('%.*c', 800000000, 'x'))`)
    database.close()
    return new Uint8Array(readFileSync(path))
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

/** A ZIP archive with the given entries. */
export async function zipOf(entries: Record<string, Uint8Array | string>): Promise<Bytes> {
  const archive = new ZipFile()
  for (const [name, content] of Object.entries(entries)) archive.addBuffer(Buffer.from(content as string), name)
  archive.end()
  const chunks: Buffer[] = []
  for await (const chunk of archive.outputStream) chunks.push(chunk as Buffer)
  return new Uint8Array(Buffer.concat(chunks))
}
