/** A value of an attribute as it is stored: a missing one is not an empty text. */
import { t } from '../../../text/text.ts'

const MAX_CHARACTERS = 200

export const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value)

export function ValueText({ value }: { value: unknown }) {
  if (value === undefined) return <span class="no-value">{t('layers.missing')}</span>
  if (value === null) return <span class="no-value">{t('layers.null')}</span>
  if (typeof value === 'boolean') return <span>{value ? t('layers.true') : t('layers.false')}</span>
  const text = textOf(value)
  return <bdi class="cut">{text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text}</bdi>
}
