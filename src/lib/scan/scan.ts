/**
 * Scans uploaded files for: content that does not match the extension, archive bombs, programs, macros and scripts in
 * documents, and the EICAR test signature (2003), which makes the scan testable without real malware.
 */
import { open } from 'node:fs/promises'
import { headOf } from '../file-head.ts'
import { InputError } from '../input-error.ts'
import { eachEntry } from './archive.ts'
import { contentOf, type FileKind, HEAD_BYTES, typeByExtension } from './content-type.ts'
import { Finding } from './finding.ts'

export type ScanLimits = { maxUnpackedBytes: number; maxPages: number }

const CHUNK_BYTES = 4 * 2 ** 20
/** Split in two, so that this source file does not contain the signature itself. */
const TEST_SIGNATURE = Buffer.from(`X5O!P%@AP[4\\PZX54(P^)7CC)7}$${'EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'}`)
/** Storage names of macros in OLE compound files, the older Office formats. */
const OLE_MACROS = ['_VBA_PROJECT', 'Macros'].map((name) => Buffer.from(name, 'utf16le'))
const XML_SCRIPT = /<script[\s>]|javascript:|<!ENTITY/i
/** Entries of Office Open XML and OpenDocument with macros, ActiveX controls or embedded OLE objects. */
const MACRO_ENTRY = /(^|\/)(vbaProject[^/]*\.bin|vbaData\.xml|activeX\/|oleObject[^/]*\.bin)|^(Basic|Scripts)\/.+/i
const ARCHIVE_DEPTH = 3
/** Nested archives are scanned in memory up to this size. */
const MAX_INNER_BYTES = 64 * 2 ** 20
const OVERLAP_BYTES = 256

/** @param folder for files that are made from it @returns the kind of file. @throws Finding */
export async function scanFile(path: string, filename: string, limits: ScanLimits, folder: string): Promise<FileKind> {
  const declared = typeByExtension(filename)
  if (declared === undefined) throw new Finding('infected', 'type', 'has an extension that is not accepted')
  const head = await headOf(path, HEAD_BYTES)
  if (head.length === 0) throw new Finding('failed', 'empty', 'is an empty file')
  const content = contentOf(head)
  if (content !== declared.content)
    throw new Finding('infected', 'type', `has an extension for ${declared.content}, but its content is ${content}`)
  const isText = content === 'xml' || content === 'json' || content === 'text'
  await search(chunksOf(path), content === 'ole', content === 'xml')
  if (isText) return declared.kind
  if (content === 'zip') await scanArchive(path, declared.kind === 'document', limits, 1)
  if (content === 'pdf') await scanPdf(path, limits.maxPages, folder)
  return declared.kind
}

async function* chunksOf(path: string): AsyncGenerator<Buffer> {
  const file = await open(path, 'r')
  try {
    for (let at = 0; ; ) {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
      const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES, at)
      if (bytesRead === 0) return
      at += bytesRead
      yield chunk.subarray(0, bytesRead)
    }
  } finally {
    await file.close()
  }
}

/** Searches overlapping chunks, so that a match across two of them is found. @throws Finding */
async function search(chunks: AsyncIterable<Buffer>, isOle: boolean, isXml: boolean): Promise<void> {
  let tail: Buffer = Buffer.alloc(0)
  for await (const chunk of chunks) {
    const bytes = tail.length === 0 ? chunk : Buffer.concat([tail, chunk])
    if (bytes.includes(TEST_SIGNATURE)) throw new Finding('infected', 'signature', 'contains the EICAR test signature')
    if (isOle && OLE_MACROS.some((name) => bytes.includes(name)))
      throw new Finding('infected', 'macro', 'is a document with macros')
    if (isXml && XML_SCRIPT.test(bytes.toString('latin1')))
      throw new Finding('infected', 'script', 'contains a script or entity definitions')
    tail = Buffer.from(bytes.subarray(-OVERLAP_BYTES))
  }
}

async function scanArchive(
  source: string | Buffer,
  isDocument: boolean,
  limits: ScanLimits,
  depth: number,
): Promise<void> {
  const nestedArchives: Buffer[] = []
  await eachEntry(source, limits, async ({ name, content }) => {
    if (name.split(/[\\/]/).includes('..') || /^([\\/]|[a-z]:)/i.test(name))
      throw new Finding('infected', 'path', 'contains a file whose path leads outside the archive')
    if (isDocument && MACRO_ENTRY.test(name)) throw new Finding('infected', 'macro', 'is a document with macros')
    let head: Buffer | undefined
    const zipChunks: Buffer[] = []
    async function* inspectChunks(): AsyncGenerator<Buffer> {
      let bytes = 0
      for await (const chunk of content) {
        head ??= chunk.subarray(0, HEAD_BYTES)
        if (contentOf(head) === 'program') throw new Finding('infected', 'program', 'contains a program')
        bytes += chunk.length
        if (contentOf(head) === 'zip' && bytes <= MAX_INNER_BYTES) zipChunks.push(chunk)
        yield chunk
      }
      if (zipChunks.length > 0 && bytes > MAX_INNER_BYTES)
        throw new Finding('failed', 'nested', 'contains an archive that is too large to be scanned')
    }
    await search(inspectChunks(), false, /\.(kml|gml|svg|xml|rels)$/i.test(name) && !isDocument)
    if (zipChunks.length > 0) nestedArchives.push(Buffer.concat(zipChunks))
  })
  if (nestedArchives.length > 0 && depth >= ARCHIVE_DEPTH)
    throw new Finding('infected', 'archive-bomb', `contains archives nested more than ${ARCHIVE_DEPTH} deep`)
  for (const archive of nestedArchives) await scanArchive(archive, false, limits, depth + 1)
}

async function scanPdf(path: string, maxPages: number, folder: string): Promise<void> {
  const { openPdf } = await import('../pdf/structure/open-pdf.ts')
  try {
    const pdf = await openPdf(path, maxPages, 'read', folder)
    const text = Buffer.from(await pdf.plain()).toString('latin1')
    if (/\/(JavaScript|JS|Launch)(?![A-Za-z])/.test(text))
      throw new Finding('infected', 'script', 'is a PDF that runs scripts or programs')
  } catch (error) {
    if (error instanceof InputError) throw new Finding('failed', error.rule, error.message)
    throw error
  }
}
