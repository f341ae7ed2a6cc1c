/** A filter with one choice, in the address. */
import { queryValue, setQuery } from '../../shell/router.ts'

export function FilterSelect(props: {
  name: string
  label: string
  all: string
  options: readonly { value: string; label: string }[]
}) {
  return (
    <select
      class="operator-filter"
      aria-label={props.label}
      value={queryValue(props.name) ?? ''}
      onChange={(event) => setQuery({ [props.name]: event.currentTarget.value })}
    >
      <option value="">{props.all}</option>
      {props.options.map(({ value, label }) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  )
}
