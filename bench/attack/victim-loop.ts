/** The thread of the victim: its requests wait for nothing but the server, independent of the attacker's thread. */
import { GIS_PREFIX } from '../../src/surfaces/enterprise/paths.ts'
import type { Taken, VictimKeys } from './victim.ts'

declare const self: Worker

const READINGS_EVERY_MS = 50
const TOOL_EVERY_MS = 500

let taken: Taken = { readings: [], tools: [], refused: {} }

async function measure(kind: 'readings' | 'tools', work: () => Promise<Response>): Promise<void> {
  const startedMs = performance.now()
  let refusal = ''
  try {
    const response = await work()
    const { code } = (await response.json()) as { code: string }
    if (!response.ok) refusal = code
  } catch (error) {
    refusal = error instanceof Error ? error.message.slice(0, 80) : String(error)
  }
  // a refusal is no fast answer: its time counts as well, and it is reported
  taken[kind].push(performance.now() - startedMs)
  if (refusal !== '') taken.refused[refusal] = (taken.refused[refusal] ?? 0) + 1
}

/** Calls are due at fixed times, so that one slow answer does not hide others. */
async function every(ms: number, work: () => Promise<void>): Promise<never> {
  for (let dueMs = performance.now(); ; dueMs += ms) {
    void work()
    await Bun.sleep(Math.max(0, dueMs + ms - performance.now()))
  }
}

function start({ url, sensor, pair }: VictimKeys): void {
  const point = '{"type":"Feature","properties":{},"geometry":{"type":"Point","coordinates":[13.4,52.5]}}'
  const post = (): Promise<Response> =>
    fetch(`${url}/sensors/${sensor.id}/readings`, {
      method: 'POST',
      headers: sensor.bearer,
      body: JSON.stringify({ readings: [{ at: new Date().toISOString(), values: { level: 1 } }] }),
    })
  function buffer(): Promise<Response> {
    const form = new FormData()
    form.append('file', new File([point], 'point.geojson'))
    form.append('distance_m', '100')
    form.append('target_format', 'geojson')
    return fetch(`${url}${GIS_PREFIX}/buffer`, { method: 'POST', headers: pair, body: form })
  }
  void every(READINGS_EVERY_MS, () => measure('readings', post))
  void every(TOOL_EVERY_MS, () => measure('tools', buffer))
}

self.onmessage = ({ data }: MessageEvent<VictimKeys | 'take'>) => {
  if (data !== 'take') {
    start(data)
    return
  }
  self.postMessage(taken)
  taken = { readings: [], tools: [], refused: {} }
}
