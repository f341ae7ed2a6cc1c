/** Reads the words of a Word document, and compares their order with the expected one. */
import { runProgram } from '../program.ts'

const decoded = (text: string): string =>
  text
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&apos;/g, "'")
    .replace(/&amp;/g, '&')

/** Words without punctuation, in lower case. */
export const normalisedWords = (text: string): string[] =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []

const partOf = (docx: string, name: string): string => runProgram('unzip', ['-p', docx, name]).stdout.toString()

/** The text of a part, with a line for each paragraph. */
export const textOfPart = (xml: string): string =>
  [...xml.matchAll(/<w:p[ >].*?<\/w:p>/gs)]
    .map(([paragraph]) =>
      decoded(
        [...paragraph.matchAll(/<w:t(?: [^>]*)?>([^<]*)<\/w:t>|(<w:tab\/>)/g)].map(([, text]) => text ?? '\t').join(''),
      ),
    )
    .join('\n')

/** The words of the body, after the words of headers and footers. */
export function wordsOfDocx(docx: string): string[] {
  const names = runProgram('unzip', ['-Z1', docx]).stdout.toString().split('\n')
  const parts = [...names.filter((name) => /^word\/(header|footer)\d+\.xml$/.test(name)), 'word/document.xml']
  return parts.flatMap((name) => normalisedWords(textOfPart(partOf(docx, name))))
}

/** The share of expected words that are found in the expected order: their longest common subsequence. */
export function shareInOrder(expected: readonly string[], found: readonly string[]): number {
  let row = new Uint32Array(found.length + 1)
  for (const word of expected) {
    const next = new Uint32Array(found.length + 1)
    for (const [i, other] of found.entries())
      next[i + 1] = word === other ? (row[i] as number) + 1 : Math.max(row[i + 1] as number, next[i] as number)
    row = next
  }
  return (row.at(-1) as number) / expected.length
}
