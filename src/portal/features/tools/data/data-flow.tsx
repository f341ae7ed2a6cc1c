/** The input and output of a tool, and the cost of a run. */

import { t } from '../../../text/text.ts'
import { Icon, type IconName } from '../../../ui/icon.tsx'
import type { DataKind } from '../process-form/process.ts'

const KIND_ICONS: Record<DataKind, IconName> = {
  vector: 'layers',
  raster: 'zones',
  image: 'picture',
  document: 'document',
  table: 'table',
  json: 'edit',
}

export const creditsText = (credits: number): string =>
  credits === 0 ? t('tools.free') : t('tools.credits', { count: credits })

/** Input and output. */
export function DataFlow({ input, output }: { input: DataKind; output: DataKind }) {
  return (
    <span class="data-flow">
      <Icon name={KIND_ICONS[input]} />
      {t(`tools.kinds.${input}`)}
      <Icon name="forward" />
      <Icon name={KIND_ICONS[output]} />
      {t(`tools.kinds.${output}`)}
    </span>
  )
}
