/** The result of a file's scan: a colour, a shape and a word. */
import type { TextKey } from '../../../text/catalogue.ts'
import { t } from '../../../text/text.ts'

export type ScanStatus = 'pending' | 'clean' | 'infected' | 'failed'

/** On a square of 12 by 12, in the colour of the sensor state with the same meaning. */
const LOOKS: Record<ScanStatus, { colour: string; path: string }> = {
  pending: { colour: 'late', path: 'M6 2v4l3 2' },
  clean: { colour: 'sending', path: 'M2 6.5l3 3 5-7' },
  infected: { colour: 'silent', path: 'M2 2l8 8M10 2l-8 8' },
  failed: { colour: 'refused', path: 'M6 1.5v6M6 9.5v1' },
}

export function ScanState({ status }: { status: ScanStatus | null }) {
  if (status === null) return <span class="weak">{t('files.noVersion')}</span>
  const { colour, path } = LOOKS[status]
  const word = t(`files.states.${status}`)
  return (
    <span class="state" title={word}>
      <svg class={`state-shape state-${colour}`} viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
        <path d={path} class="state-line" />
      </svg>
      <span class={`scan-word state-${colour}`}>{word}</span>
    </span>
  )
}

const KINDS = ['vector', 'raster', 'image', 'document', 'table', 'archive'] as const

export function kindWord(kind: string | null): string {
  const found = KINDS.find((one) => one === kind)
  return found === undefined ? '–' : t(`files.kinds.${found}` satisfies TextKey)
}
