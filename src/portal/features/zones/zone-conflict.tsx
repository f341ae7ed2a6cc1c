/**
 * Somebody else saved the rule, or the shape of its zone, meanwhile: shows both versions, and asks which one to keep.
 */

import { t } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { TableRows } from '../../ui/plain-table.tsx'
import type { ZoneRule } from './zone-data.ts'
import type { ZoneValues } from './zone-rule-api.ts'

export function ZoneConflict(props: {
  mine: ZoneValues
  theirs: ZoneRule
  layers: { id: string; name: string }[]
  onMine: () => Promise<void>
  onTheirs: () => void
}) {
  const { mine, theirs } = props
  const layer = (id: string): string => props.layers.find((one) => one.id === id)?.name ?? t('zones.drawNew')
  const targets = (count: number | 'all'): string =>
    count === 'all' ? t('zones.allSensors') : t('zones.sensorCount', { count })
  const state = (isOn: boolean): string => (isOn ? t('zones.on') : t('zones.off'))
  const rows: [label: string, own: string, other: string][] = [
    [t('zones.name'), mine.name, theirs.name],
    [t('zones.zone'), mine.source === 'draw' ? t('zones.drawNew') : layer(mine.layerId), layer(theirs.layerId)],
    [t('zones.when'), t(`zones.whens.${mine.when}`), t(`zones.whens.${theirs.when}`)],
    [
      t('zones.sensors'),
      targets(mine.targets === 'all' ? 'all' : mine.sensors.length),
      targets(theirs.sensorIds === 'all' ? 'all' : theirs.sensorIds.length),
    ],
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
