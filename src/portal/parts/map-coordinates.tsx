/** Coordinates under the pointer, in the reference system of the person's choice. */
import type { Signal } from '@preact/signals'
import { useState } from 'preact/hooks'
import { type Crs, chooseCrs, crs, formatCoordinates, isKnownCrs, parseCrs } from '../map/coordinates.ts'
import { t } from '../text/text.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { TextField } from './field.tsx'

export type Pointer = Signal<{ longitude: number; latitude: number } | undefined>

const USUAL: Crs[] = ['decimal', 'dms', 'utm', 'EPSG:3857']

function nameOf(system: Crs): string {
  if (system === 'decimal') return t('map.crs.decimal')
  if (system === 'dms') return t('map.crs.dms')
  if (system === 'utm') return t('map.crs.utm')
  if (system === 'EPSG:3857') return t('map.crs.mercator')
  return system
}

export function MapCoordinates({ pointer }: { pointer: Pointer }) {
  const [isAsking, setAsking] = useState(false)
  const choices = USUAL.includes(crs.value) ? USUAL : [...USUAL, crs.value]
  return (
    <div class="map-coordinates">
      <Position pointer={pointer} />
      <select
        aria-label={t('map.crs.label')}
        value={crs.value}
        onChange={(event) => {
          const { value } = event.currentTarget
          if (value !== 'other') return chooseCrs(value as Crs)
          event.currentTarget.value = crs.value
          setAsking(true)
        }}
      >
        {choices.map((system) => (
          <option key={system} value={system}>
            {nameOf(system)}
          </option>
        ))}
        <option value="other">{t('map.crs.more')}</option>
      </select>
      {isAsking && <ChooseCode onClose={() => setAsking(false)} />}
    </div>
  )
}

function Position({ pointer }: { pointer: Pointer }) {
  const place = pointer.value
  const text = place && (formatCoordinates(crs.value, place.longitude, place.latitude) ?? t('map.crs.none'))
  return (
    <span class="map-position number" dir="ltr" data-testid="coordinates">
      {text}
    </span>
  )
}

function ChooseCode({ onClose }: { onClose: () => void }) {
  const [code, setCode] = useState('EPSG:')
  const [error, setError] = useState<string | undefined>(undefined)
  async function choose(event: Event): Promise<void> {
    event.preventDefault()
    const system = parseCrs(code)
    if (system === undefined) return setError(t('map.crs.invalid'))
    if (!(await isKnownCrs(system))) return setError(t('map.crs.unknown', { code: system }))
    chooseCrs(system)
    onClose()
  }
  return (
    <Dialog title={t('map.crs.label')} onClose={onClose}>
      <form onSubmit={(event) => void choose(event)}>
        <TextField
          label={t('map.crs.code')}
          help={t('map.crs.help')}
          value={code}
          onInput={setCode}
          error={error}
          dir="ltr"
          autoFocus
        />
        <div class="dialog-actions">
          <Button onClick={onClose}>{t('frame.cancel')}</Button>
          <Button kind="main" type="submit">
            {t('map.crs.use')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
