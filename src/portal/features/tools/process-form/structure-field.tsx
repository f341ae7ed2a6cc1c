/** A list of objects or positions, an object, or named values: edited with controls, or as JSON text. */
import { useId } from 'preact/hooks'
import { t } from '../../../text/text.ts'
import { Button } from '../../../ui/button.tsx'
import { enteredOf, jsonText, jsonTextOf, type Pair, shapeOf, typedValue, Unreadable } from './entered.ts'
import { GroupControl, RowsControl } from './nested-controls.tsx'
import { PairsControl } from './pairs-control.tsx'
import type { StructureProps } from './structure-props.ts'

export function StructureField(props: StructureProps) {
  const { schema, entered, onChange } = props
  const text = jsonTextOf(entered)
  const shape = shapeOf(schema)
  const value = typedValue(schema, entered)
  // text that is not valid JSON yet would be lost
  const isReadable = !(value instanceof Unreadable)

  return (
    <>
      {text !== undefined ? (
        <JsonControl {...props} text={text} />
      ) : shape === 'rows' ? (
        <RowsControl {...props} />
      ) : shape === 'pairs' ? (
        <PairsControl {...props} pairs={Array.isArray(entered) ? (entered as Pair[]) : []} />
      ) : (
        <GroupControl {...props} />
      )}
      {shape !== 'json' && (
        <div>
          <Button
            kind="quiet"
            icon={text === undefined ? 'edit' : 'table'}
            disabled={!isReadable}
            onClick={() =>
              onChange(
                text === undefined
                  ? jsonText(value === undefined ? '' : JSON.stringify(value, undefined, 2))
                  : enteredOf(schema, value),
              )
            }
          >
            {text === undefined ? t('processForm.editAsJson') : t('processForm.editInFields')}
          </Button>
        </div>
      )}
    </>
  )
}

function JsonControl({ schema, label, text, path, faultAt, onChange }: StructureProps & { text: string }) {
  const id = useId()
  const fault = faultAt(path, true)
  return (
    <textarea
      id={id}
      class="json-text"
      aria-label={t('processForm.jsonOf', { label })}
      dir="ltr"
      rows={6}
      spellcheck={false}
      placeholder={schema.examples?.[0] === undefined ? undefined : JSON.stringify(schema.examples[0], undefined, 2)}
      value={text}
      {...(fault !== undefined && { 'aria-invalid': true })}
      onInput={(event) => onChange(jsonText(event.currentTarget.value))}
    />
  )
}
