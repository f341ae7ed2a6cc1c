/** The text of a field that goes to the address a moment after the last key. */
import { useEffect, useRef, useState } from 'preact/hooks'

/**
 * @param current the text in the address
 * @param send puts a text into the address
 * @returns the text of the field, and the handler of each input. A text that the address got from this field never
 * replaces later input; one that came from elsewhere, such as the browser's buttons, does.
 */
export function useTypedQuery(
  current: string,
  send: (text: string) => void,
  pauseMs: number,
): [text: string, onInput: (text: string) => void] {
  const [text, setText] = useState(current)
  const known = useRef(current)
  if (current !== known.current) {
    known.current = current
    setText(current)
  }
  useEffect(() => {
    const next = text.trim()
    if (next === known.current) return
    const timer = setTimeout(() => {
      known.current = next
      send(next)
    }, pauseMs)
    return () => clearTimeout(timer)
  }, [text])
  return [text, setText]
}
