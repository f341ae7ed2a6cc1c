/** Search of a list. The typed text goes to the address as `q`, after a short pause. */
import { queryValue, setQuery } from '../shell/router.ts'
import { useTypedQuery } from './table/typed-query.ts'

const TYPING_MS = 200

export function SearchField({ label, name = 'q' }: { label: string; name?: string }) {
  const [text, setText] = useTypedQuery(queryValue(name) ?? '', (next) => setQuery({ [name]: next }), TYPING_MS)
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
