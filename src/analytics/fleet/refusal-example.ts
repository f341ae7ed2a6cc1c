/** An example of refused data, as a text of at most 1 kB that is safe to show and store. */

export const EXAMPLE_BYTES = 1024
const CUT = '…'
const encoder = new TextEncoder()

/** Controls and signs that turn the direction of the text around them; also halves of surrogate pairs. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g

/** The text without signs that could deceive its reader, cut between two characters. */
export function safeExample(text: string): string {
  const shown = text.slice(0, EXAMPLE_BYTES).toWellFormed().replace(UNSAFE, '\ufffd')
  const room = new Uint8Array(EXAMPLE_BYTES - encoder.encode(CUT).length)
  const whole = encoder.encode(shown).length
  if (text.length <= EXAMPLE_BYTES && whole <= EXAMPLE_BYTES) return shown
  const { read } = encoder.encodeInto(shown, room)
  return shown.slice(0, read) + CUT
}

/** A body that could not be read as readings. */
export function exampleOfBody(body: Uint8Array): string {
  return safeExample(new TextDecoder().decode(body.subarray(0, EXAMPLE_BYTES * 2)))
}

/** A parsed value as JSON. It may be large and deeply nested, so nothing beyond the limit is written. */
export function exampleOfValue(value: unknown): string {
  let text = ''
  const isFull = (): boolean => text.length > EXAMPLE_BYTES
  function write(one: unknown): void {
    if (isFull()) return
    if (typeof one === 'string') text += JSON.stringify(one.slice(0, EXAMPLE_BYTES))
    else if (typeof one !== 'object' || one === null) text += JSON.stringify(one) ?? 'null'
    else if (Array.isArray(one)) {
      text += '['
      for (let i = 0; i < one.length && !isFull(); i++) {
        if (i > 0) text += ','
        write(one[i])
      }
      text += ']'
    } else {
      text += '{'
      let isFirst = true
      for (const name in one) {
        if (isFull()) break
        text += `${isFirst ? '' : ','}${JSON.stringify(name.slice(0, EXAMPLE_BYTES))}:`
        isFirst = false
        write((one as Record<string, unknown>)[name])
      }
      text += '}'
    }
  }
  write(value)
  return safeExample(text)
}
