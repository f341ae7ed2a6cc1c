/** Coordinates under the pointer, in the reference system of the person's choice. */
import type { Signal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { ApiError } from '../../api/client.ts'
import { useResource } from '../../api/resource.ts'
import { language } from '../../shell/preferences.ts'
import { t } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { failureText } from '../../ui/form.ts'
import { type Crs, chooseCrs, crs, formatCoordinates, prepareCrs } from './engine/coordinates.ts'

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
        // the map around it is not mirrored
        dir={language.value === 'ar' ? 'rtl' : 'ltr'}
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
      {isAsking && <ChooseSystem onClose={() => setAsking(false)} />}
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

const SHOWN = 30
const TYPING_MS = 200

/** All systems of the EPSG registry, by words of the name or the area, or by code. */
function ChooseSystem({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('')
  const [q, setQ] = useState('')
  const [error, setError] = useState<string | undefined>(undefined)
  useEffect(() => {
    const timer = setTimeout(() => setQ(text.trim()), TYPING_MS)
    return () => clearTimeout(timer)
  }, [text])
  const found = useResource(
    async (signal) => {
      if (q === '') return []
      const { searchSystems } = await import('./engine/projections.ts')
      return searchSystems(q, SHOWN, signal)
    },
    [q],
  )
  async function choose(code: number): Promise<void> {
    const system: Crs = `EPSG:${code}`
    try {
      if (!(await prepareCrs(system))) return setError(t('map.crs.inexact', { code: system }))
      chooseCrs(system)
      onClose()
    } catch (failure) {
      setError(failure instanceof ApiError ? failureText(failure) : String(failure))
    }
  }
  const systems = found.data.value
  return (
    <Dialog title={t('map.crs.label')} onClose={onClose}>
      <TextField
        label={t('map.crs.search')}
        help={t('map.crs.help')}
        type="search"
        value={text}
        maxLength={100}
        onInput={(value) => {
          setText(value)
          setError(undefined)
        }}
        error={error}
        autoFocus
      />
      <ul class="crs-found">
        {systems?.map(({ code, name, area }) => (
          <li key={code}>
            <Button kind="quiet" onClick={() => choose(code)}>
              <span dir="ltr">
                <strong>EPSG:{code}</strong> <bdi>{name}</bdi>
                {area !== null && <span class="weak cut">{area}</span>}
              </span>
            </Button>
          </li>
        ))}
      </ul>
      <p class="weak" role="status">
        {q !== '' && systems?.length === 0 && !found.isLoading.value && t('frame.nothingFound')}
      </p>
    </Dialog>
  )
}
