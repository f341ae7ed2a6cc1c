/** The live assets of a page: loaded once the stream of changes is open, so that no change is lost between the two. */
import { useEffect, useMemo } from 'preact/hooks'
import { type LivePosition, type LiveState, liveStatus, watchLive } from '../../../live.ts'
import { enterpriseId } from '../../../shell/session.ts'
import { createLiveAssets, type LiveAssets } from './live-assets.ts'

/** Without an event stream, the page shows the assets as loaded. */
const STREAM_WAIT_MS = 1_200
const RELOAD_MS = 5_000

function follow(live: LiveAssets): () => void {
  let isAsked = false
  let retry: ReturnType<typeof setTimeout> | undefined
  async function load(): Promise<void> {
    clearTimeout(retry)
    isAsked = true
    await live.load()
    // the connection was lost, or the server is busy
    const status = live.error.peek()?.status
    if (status === 0 || status === 503) retry = setTimeout(() => void load(), RELOAD_MS)
  }
  const late = setTimeout(() => {
    if (!isAsked) void load()
  }, STREAM_WAIT_MS)
  let isOpen = false
  let wasLive = false
  const endStatus = liveStatus.subscribe((status) => {
    if (wasLive) live.freshMs.value = Date.now()
    wasLive = status === 'live'
  })
  const end = watchLive({
    isWithoutSnapshot: true,
    onStates(items: LiveState[], counts) {
      // the first states of each connection are counts alone
      if (!isOpen && counts !== undefined) {
        isOpen = true
        void load()
      }
      if (items.length === 0) return
      const states = items.map(({ assetId, assetState }) => ({ assetId, state: assetState }))
      void live.change([], [], states)
    },
    onPositions(positions: LivePosition[], removed) {
      const moved = positions.map(({ id, properties, geometry }) => ({
        id,
        sensorId: properties.sensorId,
        name: properties.assetName,
        longitude: geometry.coordinates[0],
        latitude: geometry.coordinates[1],
        at: Date.parse(properties.at),
      }))
      void live.change(moved, removed, [])
    },
    refresh: () => void load(),
  })
  return () => {
    clearTimeout(late)
    clearTimeout(retry)
    endStatus()
    end()
  }
}

/** Ends with the page. */
export function useLiveAssets(): LiveAssets {
  const live = useMemo(createLiveAssets, [enterpriseId.value])
  useEffect(() => {
    const end = follow(live)
    return () => {
      end()
      live.end()
    }
  }, [live])
  return live
}
