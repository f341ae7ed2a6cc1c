/** Handles a call with a sensor's readings, with or without the router: authentication, body, ingestion. */
import type { SensorGate } from '../../access/sensor-gate.ts'
import { type HeaderLookup, senderIn } from '../../http/address.ts'
import { mediaTypeOf } from '../../http/body/body.ts'
import type { RequestContext } from '../../http/request-context.ts'
import { readingsResponse } from '../../ingest/answer.ts'
import type { SensorProfile } from '../../ingest/batch.ts'
import { sourceOf } from '../../ingest/bodies/body-source.ts'
import type { Ingest } from '../../ingest/ingest.ts'

/**
 * @param readBody called once the sensor's key is checked
 * @param render copies the answer, whose bytes are valid during the call only
 * @returns once everything that the answer reports as accepted or duplicate is durable
 * @throws AppError as the gate, `readBody` and the ingestion do
 */
export type ReadingsCall = <T>(
  sensorId: string,
  requestContext: RequestContext,
  headers: HeaderLookup,
  readBody: () => Uint8Array | Promise<Uint8Array>,
  render: (answer: Uint8Array<ArrayBuffer>) => T,
) => Promise<T>

export const createReadingsCall =
  (gate: SensorGate<SensorProfile>, ingest: Ingest): ReadingsCall =>
  async (sensorId, requestContext, headers, readBody, render) => {
    const nowMs = Date.now()
    const admitted = gate.admit(sensorId, senderIn(requestContext, headers), nowMs)
    const { profile, readingsPerDay } = admitted instanceof Promise ? await admitted : admitted
    requestContext.caller = sensorId
    ingest.checkRate(profile, nowMs)
    let body: Uint8Array
    try {
      const read = readBody()
      body = read instanceof Promise ? await read : read
    } catch (error) {
      await ingest.countCall(profile, nowMs, error)
      throw error
    }
    const { path, requestId } = requestContext
    const source = sourceOf(mediaTypeOf(headers.get('content-type')), body)
    return ingest.accept({ profile, readingsPerDay, body, source, nowMs }, (batch) =>
      render(readingsResponse(batch, path, requestId, nowMs)),
    )
  }
