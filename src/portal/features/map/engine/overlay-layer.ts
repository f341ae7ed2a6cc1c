/** An own layer below the zones of a map. A worker keeps its features and draws pictures of them. */

import { sessionHeaders } from '../../../api/client.ts'
import type { Look } from '../../../ui/picture/protocol.ts'
import { askWorker } from '../../data/layers/layer-data.ts'
import { loadLayer } from '../../data/layers/layer-record.ts'
import type { MapEngine } from './engine.ts'
import { addPicture } from './picture-layer.ts'
import { paletteOf } from './symbols.ts'

function lookOf(colourName: string): Look {
  const root = document.documentElement
  const colour = getComputedStyle(root).getPropertyValue(colourName).trim()
  const { surface } = paletteOf(root)
  return { fill: colour, fillOpacity: 0.16, line: colour, lineWidth: 1.6, halo: surface, haloWidth: 1.5, radius: 5 }
}

/** @returns removes the layer */
export function addOverlayLayer(
  engine: MapEngine,
  owner: string,
  layerId: string,
  colourName: string,
  onFailed: (error: unknown) => void,
): () => void {
  let isGone = false
  const { ask, end } = askWorker()
  const ownPicture = addPicture(
    engine,
    `picture-${layerId}`,
    (view, look) => ask({ kind: 'picture', view, look }),
    () => lookOf(colourName),
    ['zones'],
  )
  const undo = engine.onRestyled(() => ownPicture.draw())
  async function open(): Promise<void> {
    const { layer, etag } = await loadLayer(owner, layerId)
    const address = `${location.origin}/manage/v1/owners/${encodeURIComponent(owner)}/layers/${encodeURIComponent(layerId)}`
    const base = { version: layer.version, etag, fields: layer.fields }
    // the saved features, without the person's unsaved changes
    await ask({ kind: 'open', address, headers: sessionHeaders('GET'), base, draft: '' })
    if (!isGone) ownPicture.draw()
  }
  open().catch((error: unknown) => {
    if (!isGone) onFailed(error)
  })
  return () => {
    isGone = true
    undo()
    ownPicture.clear()
    ownPicture.remove()
    end()
  }
}
