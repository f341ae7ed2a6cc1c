/** Tags of a record: Enter or a comma adds one, a removed one can be restored. */
import { useId, useState } from 'preact/hooks'
import { t } from '../../text/text.ts'
import { IconButton } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { notify } from '../../ui/toasts.tsx'
import { useTags } from './tag-filter.tsx'

const MAX_TAGS = 20
const LONGEST_TAG = 50
/** Enough for the browser's suggestions. */
const SUGGESTED = 200

/** @returns the tags in a text with commas, without empty ones and repetitions */
export function tagsIn(text: string): string[] {
  const words = text.split(/[,،;\n]/).map((word) => word.trim())
  return [...new Set(words.filter((word) => word !== ''))]
}

export function TagsEditor(props: {
  label: string
  tags: readonly string[]
  onChange: (change: (before: readonly string[]) => string[]) => void
  error?: string | undefined
}) {
  const { tags, onChange } = props
  const [text, setText] = useState('')
  const list = useId()
  const known = useTags('', SUGGESTED)
  const [error, setError] = useState<string | undefined>(undefined)

  function add(typed: string): void {
    const found = tagsIn(typed)
    const isLong = found.some((tag) => [...tag].length > LONGEST_TAG)
    if (isLong || new Set([...tags, ...found]).size > MAX_TAGS) {
      setError(isLong ? t('sensors.tagRule') : t('sensorForm.mostTags', { count: MAX_TAGS }))
      return
    }
    setError(undefined)
    setText('')
    if (found.length > 0) onChange((before) => [...new Set([...before, ...found])])
  }

  function remove(tag: string): void {
    const at = tags.indexOf(tag)
    onChange((before) => before.filter((one) => one !== tag))
    notify(t('sensorForm.tagRemoved', { name: tag }), {
      undo: async () => onChange((before) => (before.includes(tag) ? [...before] : before.toSpliced(at, 0, tag))),
    })
  }

  return (
    <Field label={props.label} help={t('sensorForm.tagsHelp')} error={error ?? props.error}>
      {(attributes) => (
        <div class="tags-editor">
          {tags.map((tag) => (
            <span key={tag} class="sensor-tag">
              <bdi>{tag}</bdi>
              <IconButton icon="close" label={t('sensorForm.removeTag', { name: tag })} onClick={() => remove(tag)} />
            </span>
          ))}
          <input
            {...attributes}
            dir="auto"
            list={list}
            value={text}
            onInput={(event) => {
              const typed = event.currentTarget.value
              if (/[,،;]/.test(typed)) add(typed)
              else setText(typed)
            }}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && text.trim() !== '') {
                event.preventDefault()
                add(text)
              } else if (event.key === 'Backspace' && text === '') {
                const last = tags.at(-1)
                if (last !== undefined) remove(last)
              }
            }}
            onBlur={() => add(text)}
          />
          <datalist id={list}>
            {known.data.value?.items
              .filter(({ tag }) => !tags.includes(tag))
              .map(({ tag }) => (
                <option key={tag} value={tag} />
              ))}
          </datalist>
        </div>
      )}
    </Field>
  )
}
