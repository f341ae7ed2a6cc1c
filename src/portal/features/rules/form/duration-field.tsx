/** A time that people write with its unit. Once it is left, it has the usual form: "5m" becomes "5 min". */
import { type FieldProps, TextField } from '../../../ui/field.tsx'
import { durationText, secondsIn } from '../durations.ts'

export function DurationField(
  props: FieldProps & { value: string; onInput: (value: string) => void; onLeave?: () => void },
) {
  return (
    <TextField
      {...props}
      onLeave={() => {
        const seconds = secondsIn(props.value)
        if (seconds !== undefined) props.onInput(durationText(seconds))
        props.onLeave?.()
      }}
    />
  )
}
