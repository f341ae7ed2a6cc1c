/**
 * Two people changed the same layer: shows both sets of changes, and asks which version to keep of each feature that
 * both changed.
 */

import { useState } from 'preact/hooks'
import { t } from '../../../text/text.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { type PlainColumn, TableRows } from '../../../ui/plain-table.tsx'
import type { LayerFeature } from '../layers/layer-store.ts'
import type { Clash, Conflict } from '../layers/protocol.ts'
import { actorName } from '../layers/words.ts'
import { ValueText } from './value-text.tsx'

const SHOWN = 100

export function LayerConflict(props: {
  conflict: Conflict
  layer: { version: number; changedBy: string | null }
  /** The version that was edited. */
  base: number
  /** @param theirs ids of the features whose version by the other person is kept */
  onChosen: (theirs: string[]) => Promise<void>
  onClose: () => void
}) {
  const { conflict, layer, base } = props
  const { clashes } = conflict
  const [theirs, setTheirs] = useState<ReadonlySet<string>>(new Set())
  const choose = (id: string, isTheirs: boolean): void => {
    const next = new Set(theirs)
    if (isTheirs) next.add(id)
    else next.delete(id)
    setTheirs(next)
  }
  const side = (title: string, forTheirs: boolean): PlainColumn<Clash> => [
    title,
    (clash) => {
      const [own, other] = forTheirs ? [clash.theirs, clash.mine] : [clash.mine, clash.theirs]
      return (
        <label class="clash-side">
          <input
            type="radio"
            aria-label={`${title}: ${clash.id}`}
            name={`clash-${clash.id}`}
            checked={theirs.has(clash.id) === forTheirs}
            onChange={() => choose(clash.id, forTheirs)}
          />
          <span>{own === null ? t('layers.conflict.deleted') : <Differing feature={own} other={other} />}</span>
        </label>
      )
    },
    { attributes: ({ id }) => ({ class: theirs.has(id) === forTheirs ? 'clash-chosen' : '' }) },
  ]
  return (
    <Dialog title={t('layers.conflict.title')} isWide onClose={props.onClose}>
      <p>
        {t('layers.conflict.text', { who: actorName(layer.changedBy), base, version: layer.version })}{' '}
        {t('layers.conflict.theirs', { count: conflict.theirs })} {t('layers.conflict.mine', { count: conflict.mine })}
      </p>
      {clashes.length === 0 ? (
        <p>{t('layers.conflict.none')}</p>
      ) : (
        <>
          <p>{t('layers.conflict.both', { count: clashes.length })}</p>
          <div class="row">
            <Button onClick={() => setTheirs(new Set())}>{t('layers.conflict.allMine')}</Button>
            <Button onClick={() => setTheirs(new Set(clashes.map(({ id }) => id)))}>
              {t('layers.conflict.allTheirs')}
            </Button>
          </div>
          <div class="clash-table">
            <table>
              <TableRows
                rows={clashes.slice(0, SHOWN)}
                keyOf={({ id }) => id}
                columns={[
                  [t('layers.feature'), ({ id }) => <bdi>{id}</bdi>, { isName: true }],
                  side(t('layers.conflict.mineColumn'), false),
                  side(t('layers.conflict.theirsColumn'), true),
                ]}
              />
            </table>
          </div>
          {clashes.length > SHOWN && <p class="weak">{t('layers.conflict.more', { count: clashes.length - SHOWN })}</p>}
        </>
      )}
      <div class="dialog-actions">
        <Button onClick={props.onClose}>{t('frame.cancel')}</Button>
        <Button kind="main" onClick={() => props.onChosen([...theirs])}>
          {t('layers.conflict.merge')}
        </Button>
      </div>
    </Dialog>
  )
}

/** Changes that only one side has. */
function Differing({ feature, other }: { feature: LayerFeature; other: LayerFeature | null }) {
  const names = Object.keys({ ...feature.properties, ...other?.properties }).filter(
    (name) => JSON.stringify(feature.properties[name]) !== JSON.stringify(other?.properties[name]),
  )
  const isMoved = other !== null && JSON.stringify(feature.geometry) !== JSON.stringify(other.geometry)
  return (
    <ul class="plain-list">
      {names.slice(0, 8).map((name) => (
        <li key={name}>
          <bdi class="weak">{name}</bdi>: <ValueText value={feature.properties[name]} />
        </li>
      ))}
      {isMoved && <li>{t('layers.geometryDiffers')}</li>}
      {names.length === 0 && !isMoved && <li>{t('layers.conflict.kept')}</li>}
    </ul>
  )
}
