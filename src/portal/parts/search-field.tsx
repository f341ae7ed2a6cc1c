/** Search of a list. What was typed goes to the address as `q`, after a short pause. */
import { useEffect, useState } from 'preact/hooks'
import { queryValue, setQuery } from '../router.ts'

const TYPING_MS = 200

export function SearchField({ label, name = 'q' }: { label: string; name?: string }) {
  const current = queryValue(name) ?? ''
  const [text, setText] = useState(current)
  // the browser's buttons change the address too
  useEffect(() => setText(current), [current])
  useEffect(() => {
    if (text.trim() === current) return
    const timer = setTimeout(() => setQuery({ [name]: text.trim() }), TYPING_MS)
    return () => clearTimeout(timer)
  }, [text])
  return (
    <input
      class="search-field"
      type="search"
      dir="auto"
      aria-label={label}
      placeholder={label}
      maxLength={200}
      value={text}
      onInput={(event) => setText(event.currentTarget.value)}
    />
  )
}
