/** How layers are described: their geometry, and who changed them. */
import { formatList } from '../../../text/format.ts'
import { t } from '../../../text/text.ts'

const KINDS = ['layers.kinds.points', 'layers.kinds.lines', 'layers.kinds.polygons'] as const

export function geometryWord(dimensions: readonly number[]): string {
  const words = dimensions.flatMap((dimension) => {
    const key = KINDS[dimension]
    return key === undefined ? [] : [t(key)]
  })
  return words.length === 0 ? t('layers.kinds.none') : formatList(words)
}

/** The audit's name of somebody, without the role: `owner layla@example.org`, or `operator` for the token. */
export const actorName = (actor: string | null): string =>
  actor === null
    ? t('layers.unknownActor')
    : actor === 'operator'
      ? t('layers.operator')
      : actor.replace(/^(operator|owner|admin|member|person) /, '')

/** A count of `null` is unknown. */
export const usesText = ({ zoneRules, toolApis }: { zoneRules: number; toolApis: number }): string =>
  [
    ...(zoneRules > 0 ? [t('layers.zoneRules', { count: zoneRules })] : []),
    ...(toolApis > 0 ? [t('layers.toolApis', { count: toolApis })] : []),
  ].join(' · ')
