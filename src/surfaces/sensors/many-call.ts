/** Handles a call with readings of many sensors: the fleet's key, body, sensors, ingestion. */
import type { FleetRefusal } from '../../access/fleet/fleet-notes.ts'
import type { FleetCall, FleetGate, FleetTarget } from '../../access/fleet-gate.ts'
import { AppError } from '../../errors.ts'
import { inTurns, stepsInTurns } from '../../event-loop-yield.ts'
import { type HeaderLookup, senderIn } from '../../http/address.ts'
import type { RequestContext } from '../../http/request-context.ts'
import { manyReadingsResponse } from '../../ingest/answer.ts'
import type { Refusal, SensorProfile } from '../../ingest/batch.ts'
import type { AcceptMany } from '../../ingest/many.ts'
import { giveReadings, sentReading, sentTime } from '../../ingest/many-json.ts'
import { type ManyScan, scanMany } from '../../ingest/scan-many.ts'

/**
 * @param readBody called once the fleet's key is checked
 * @param render copies the answer, whose bytes are valid during the call only
 * @returns once everything that the answer reports as accepted or duplicate is durable
 * @throws AppError as the gate, `readBody` and the ingestion do
 */
export type ManyCall = <T>(
  requestContext: RequestContext,
  headers: HeaderLookup,
  readBody: () => Promise<Uint8Array>,
  render: (answer: Uint8Array<ArrayBuffer>) => T,
) => Promise<T>

type Targets = ReadonlyMap<string, FleetTarget<SensorProfile>>

export const createManyCall =
  (gate: FleetGate<SensorProfile>, accept: AcceptMany): ManyCall =>
  async (requestContext, headers, readBody, render) => {
    const nowMs = Date.now()
    const call = await gate.admit(senderIn(requestContext, headers), nowMs)
    requestContext.caller = call.fleetKeyId
    const scan = await scanOf(call, readBody, nowMs)
    const targets = await call.targets(scan.sensors, (name) => firstReadingOf(scan, name))
    const targetOf = (name: number) => {
      const target = targets.get(scan.sensors[name] as string)
      return target !== undefined && 'profile' in target ? target : undefined
    }
    const { sensors, others, notes } = giveReadings(scan, targetOf, call.settings.unknownChannels === 'ignore')
    const { outcomes, times, refusals } = await accept(sensors, scan.count, nowMs)
    const refused = [...notes, ...Array.from(refusals, ([number, refusal]) => ({ number, refusal }))]
    const unknown: FleetRefusal[] = []
    await inTurns(others.length, (index) => {
      const number = others[index] as number
      const reason = reasonOf(targets, scan, number)
      refused.push({ number, refusal: { at: sentTime(scan, number), reason } })
      if (reason === 'SENSOR_UNKNOWN') unknown.push({ ...nameOf(scan, number), reason })
    })
    if (unknown.length > 0) call.noteRefused(unknown, nowMs)
    refused.sort((a, b) => a.number - b.number)
    const { path, requestId } = requestContext
    const answer = {
      outcomes,
      times,
      sensorOf: scan.sensorOf,
      sensors: scan.sensors,
      refused: refused.map(({ number, refusal }) => refusedEntry(scan, number, refusal)),
    }
    return render(manyReadingsResponse(answer, path, requestId, nowMs))
  }

async function scanOf(
  call: FleetCall<SensorProfile>,
  readBody: () => Promise<Uint8Array>,
  nowMs: number,
): Promise<ManyScan> {
  try {
    const { scan, step } = scanMany(await readBody())
    await stepsInTurns(step)
    return scan
  } catch (error) {
    if (error instanceof AppError && error.status < 500) call.noteRefused([{ reason: error.code }], nowMs)
    throw error
  }
}

const firstReadingOf = (scan: ManyScan, name: string): unknown =>
  sentReading(scan, scan.firstReadings[scan.numberOf.get(name) ?? 0] ?? 0)

function reasonOf(targets: Targets, { sensors, sensorOf }: ManyScan, number: number): string {
  const target = targets.get(sensors[sensorOf[number] as number] ?? '')
  return target !== undefined && 'reason' in target ? target.reason : 'SENSOR_UNKNOWN'
}

function nameOf({ sensors, sensorOf }: ManyScan, number: number): { name?: string } {
  const name = sensors[sensorOf[number] as number]
  return name === undefined ? {} : { name }
}

const refusedEntry = ({ sensors, sensorOf }: ManyScan, number: number, refusal: Refusal): object => ({
  sensor: sensors[sensorOf[number] as number] ?? null,
  ...refusal,
})
