/**
 * Somebody else saved the rule, or the shape of its zone, meanwhile: shows both versions, and asks which one to keep.
 */

import { t } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { TableRows } from '../../ui/plain-table.tsx'
import type { RuleFields } from '../rules/rule-data.ts'
import { sentencesOf, targetWords } from '../rules/sentence.ts'
import type { ZoneRule } from './zone-data.ts'
import { checkedZone, type ZoneValues } from './zone-rule-api.ts'

export function ZoneConflict(props: {
  mine: ZoneValues
  theirs: ZoneRule
  layers: { id: string; name: string }[]
  onMine: () => Promise<void>
  onTheirs: () => void
}) {
  const { mine, theirs } = props
  const layer = (id: string): string => props.layers.find((one) => one.id === id)?.name ?? t('zones.drawNew')
  const own = { severity: theirs.severity, ...checkedZone(mine, mine.layerId).rule }
  /** Without the targets. */
  const says = (rule: RuleFields): string =>
    sentencesOf(rule, { unitOf: () => null, layerOf: layer })
      .slice(0, -1)
      .join(' ')
  const state = (isOn: boolean): string => (isOn ? t('zones.on') : t('zones.off'))
  const rows: [label: string, own: string, other: string][] = [
    [t('zones.name'), mine.name, theirs.name],
    [t('zones.zone'), mine.source === 'draw' ? t('zones.drawNew') : layer(mine.layerId), layer(theirs.layerId)],
    [t('zones.when'), says(own), says({ ...theirs, schedule: null })],
    [t('zones.sensors'), targetWords(own), targetWords(theirs)],
    [t('zones.enabled'), state(mine.enabled), state(theirs.enabled)],
  ]
  return (
    <section class="conflict" role="alert">
      <h2>{t('zones.conflict.title')}</h2>
      <p>{t('zones.conflict.text')}</p>
      <table>
        <TableRows
          rows={rows}
          keyOf={([label]) => label}
          attributesOf={([, own, other]) => ({ class: own === other ? '' : 'conflict-differs' })}
          columns={[
            [t('record.field'), ([label]) => label, { isTitleHidden: true, isName: true }],
            [t('zones.conflict.mine'), ([, own]) => <bdi>{own}</bdi>],
            [t('zones.conflict.theirs'), ([, , other]) => <bdi>{other}</bdi>],
          ]}
        />
      </table>
      <div class="row">
        <Button kind="main" onClick={props.onMine}>
          {t('zones.conflict.keepMine')}
        </Button>
        <Button onClick={props.onTheirs}>{t('zones.conflict.takeTheirs')}</Button>
      </div>
    </section>
  )
}

/** The same for a drawn shape: the rule is saved, and the map shows both shapes. */
export function ShapeQuestion(props: { onMine: () => Promise<void>; onTheirs: () => void }) {
  return (
    <section class="conflict" role="alert">
      <h2>{t('zones.conflict.shapeTitle')}</h2>
      <p>{t('zones.conflict.shapeText')}</p>
      <div class="row">
        <Button kind="main" onClick={props.onMine}>
          {t('zones.conflict.keepMyShape')}
        </Button>
        <Button onClick={props.onTheirs}>{t('zones.conflict.takeTheirShape')}</Button>
      </div>
    </section>
  )
}
