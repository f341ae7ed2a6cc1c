/** The scale of a map, in the person's digits. MapLibre's own has Latin digits only. */
import { effect } from '@preact/signals'
import type { IControl, MapLibreMap } from 'maplibre-gl'
import { besideUnit, formatWhole } from '../../../text/format.ts'

const WIDEST_PX = 120
const EARTH_M = 40_075_016.686
/** Pixels of the whole world at zoom 0. */
const WORLD_PX = 512
/** Round numbers within a power of ten, from the largest. */
const ROUND = [5, 3, 2, 1]

/** @returns the largest round number up to a length, at least one */
function roundBelow(length: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, length)))
  return power * (ROUND.find((step) => step * power <= length) ?? 1)
}

/** @param words of the units */
export function scaleBar(words: { metres: string; kilometres: string }): IControl {
  const element = document.createElement('div')
  element.className = 'maplibregl-ctrl maplibregl-ctrl-scale'
  let end = (): void => undefined
  function update(map: MapLibreMap): void {
    const latitude = (map.getCenter().lat * Math.PI) / 180
    const metresInPixel = (EARTH_M * Math.cos(latitude)) / (WORLD_PX * 2 ** map.getZoom())
    const widest = WIDEST_PX * metresInPixel
    const unit = widest >= 1000 ? 1000 : 1
    const length = roundBelow(widest / unit)
    element.style.width = `${(length * unit) / metresInPixel}px`
    element.textContent = besideUnit(`${formatWhole(length)}\u00a0${unit === 1000 ? words.kilometres : words.metres}`)
  }
  return {
    onAdd(map) {
      const moved = (): void => update(map)
      map.on('move', moved)
      const endDigits = effect(moved)
      end = () => {
        map.off('move', moved)
        endDigits()
      }
      return element
    },
    onRemove() {
      end()
      element.remove()
    },
  }
}
