/** POST /ingest/ttn and /ingest/chirpstack: webhooks of LoRaWAN network servers, which send each message once. */
import { Elysia } from 'elysia'
import type { FleetCall, FleetGate, FleetTarget } from '../../access/fleet-gate.ts'
import { AppError, invalidField } from '../../errors.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import { senderIn } from '../../http/address.ts'
import { type BodyLimits, mediaTypeOf, readBody, requireMediaType } from '../../http/body/body.ts'
import { JSON_TYPE, respond } from '../../http/envelope.ts'
import { operationsOf } from '../../http/openapi/openapi-schemas.ts'
import { requestContextOf } from '../../http/request-context.ts'
import { bilingual } from '../../http/route-options.ts'
import { readingsResponse } from '../../ingest/answer.ts'
import { readingsResult } from '../../ingest/answer-schema.ts'
import { appendRefusal, createBatch, type SensorProfile } from '../../ingest/batch.ts'
import type { Ingest } from '../../ingest/ingest.ts'
import { CHIRPSTACK_EVENTS, type ChirpstackEvent, readChirpstack } from '../../ingest/lorawan/chirpstack.ts'
import { type DeviceEvent, type Message, PAYLOAD_LIMITS, type Uplink } from '../../ingest/lorawan/payload.ts'
import { readThingsStack } from '../../ingest/lorawan/things-stack.ts'
import { sentReading, timeOf, uplinkSource } from '../../ingest/lorawan/uplink-source.ts'
import { formatTimestamp, parseTimestamp } from '../../ingest/timestamp.ts'
import { parseJsonBody } from '../../json-text.ts'
import type { DeviceFrame } from '../../stores/postgres/sensors/device-frames.ts'

export type LorawanDeps = {
  fleet: FleetGate<SensorProfile>
  ingest: Pick<Ingest, 'accept'>
  body: BodyLimits
  /** The time of the first copy of a frame. */
  firstTimeOf(frame: DeviceFrame): Promise<number>
  noteEvent(sensorId: string, event: { kind: string; at: string }): Promise<void>
  /** Called when the first copy of a frame is not known because a store failed. */
  onError(error: unknown): void
}

/** A frame of 250 bytes that a hundred gateways received has a message of about 60 kB. */
const MAX_BYTES = 256 * 1024
/** What ChirpStack and The Things Stack name protobuf in `Content-Type`. */
const PROTOBUF = /^application\/(octet-stream|.*protobuf)$/

type Target = FleetTarget<SensorProfile>

const operation = operationsOf('Sensors', [{ fleetKey: [] }])

export function lorawanSurface(deps: LorawanDeps) {
  const { fleet, ingest } = deps
  const body = { ...deps.body, maxBytes: Math.min(deps.body.maxBytes, MAX_BYTES) }

  async function answer(request: Request, read: (message: unknown) => Message): Promise<Response> {
    const nowMs = Date.now()
    const requestContext = requestContextOf(request)
    const call = await fleet.admit(senderIn(requestContext, request.headers), nowMs)
    requestContext.caller = call.fleetKeyId
    const { bytes, message } = await messageOf(request, call, read, nowMs)
    return 'event' in message
      ? answerEvent(request, call, message.event, nowMs)
      : answerUplink(request, call, message.uplink, bytes, nowMs)
  }

  async function messageOf(
    request: Request,
    call: FleetCall<SensorProfile>,
    read: (message: unknown) => Message,
    nowMs: number,
  ): Promise<{ bytes: Uint8Array; message: Message }> {
    try {
      if (PROTOBUF.test(mediaTypeOf(request.headers.get('content-type')))) requireMediaType('', JSON_TYPE)
      const bytes = await readBody(request, body)
      return { bytes, message: read(parseJsonBody(bytes, PAYLOAD_LIMITS)) }
    } catch (error) {
      if (error instanceof AppError && error.status < 500) call.noteRefused([{ reason: error.code }], nowMs)
      throw error
    }
  }

  async function answerEvent(
    request: Request,
    call: FleetCall<SensorProfile>,
    { devEui, kind, at }: DeviceEvent,
    nowMs: number,
  ): Promise<Response> {
    if (devEui === undefined) return noContent(request)
    const target = await call.targetOfDevice(devEui, undefined)
    noteUnknown(call, target, devEui, nowMs)
    const atMs = typeof at === 'string' ? parseTimestamp(at) : Number.NaN
    const event = { kind, at: formatTimestamp(Number.isNaN(atMs) ? nowMs : atMs) }
    if ('profile' in target) await deps.noteEvent(target.sensorId, event)
    return noContent(request)
  }

  async function answerUplink(
    request: Request,
    call: FleetCall<SensorProfile>,
    uplink: Uplink,
    bytes: Uint8Array,
    nowMs: number,
  ): Promise<Response> {
    const { path, requestId } = requestContextOf(request)
    const render = (batch: Parameters<typeof readingsResponse>[0]): Response =>
      respond(request, readingsResponse(batch, path, requestId, nowMs), JSON_TYPE)
    const target = await call.targetOfDevice(uplink.devEui, sentReading(uplink))
    noteUnknown(call, target, uplink.devEui, nowMs)
    if ('reason' in target) {
      if (target.reason === 'SENSOR_UNKNOWN' || target.reason === 'SENSOR_PENDING') return noContent(request)
      const batch = createBatch()
      appendRefusal(batch, { at: typeof uplink.at === 'string' ? uplink.at : null, reason: target.reason })
      return render(batch)
    }
    const source = uplinkSource(uplink, await frameTimeOf(uplink, target))
    const { profile, readingsPerDay } = target
    return ingest.accept({ profile, readingsPerDay, body: bytes, source, nowMs, isUncounted: true }, render)
  }

  async function frameTimeOf(uplink: Uplink, { sensorId }: { sensorId: string }): Promise<number> {
    const atMs = timeOf(uplink)
    if (Number.isNaN(atMs)) return atMs
    try {
      return await deps.firstTimeOf({ sensorId, session: uplink.session, counter: uplink.counter, atMs })
    } catch (error) {
      // the sender tries once, so a refusal would lose the reading; only a copy with another time would be stored twice
      deps.onError(error)
      return atMs
    }
  }

  const answers = {
    200: {
      description: '`SENSOR_READINGS_RESULT`: the outcome of the reading of an uplink, also when it was refused',
      content: { 'application/json': { schema: readingsResult } },
    },
    204: { description: 'An event that is no uplink, or a device that no sensor has as its external id' },
    400: { description: '`BAD_REQUEST`: not JSON' },
    401: { description: '`SENSOR_KEY_INVALID`: fleet key missing, wrong, expired or revoked' },
    403: { description: '`ASSETS_HELD`, `ASSETS_SUSPENDED` or `LICENSE_FEATURE_MISSING`' },
    408: { description: '`REQUEST_TIMEOUT`: the body did not arrive in time' },
    413: { description: '`BODY_TOO_LARGE`: the body exceeds 256 kB' },
    415: { description: '`MEDIA_TYPE_UNSUPPORTED`: protobuf instead of JSON, or an unknown `Content-Encoding`' },
    422: { description: '`VALIDATION_FAILED`: not a message of this network server' },
    429: {
      description: '`RATE_LIMITED` or `SENSOR_READINGS_DAILY_LIMIT`; `Retry-After` gives the wait in seconds',
    },
    503: { description: '`INGEST_UNAVAILABLE`: readings cannot be stored; `Retry-After` gives the wait in seconds' },
  }
  const HOW =
    "The DevEUI is the sensor's external id. Numbers, true and false of the decoded payload are values; names of nested members are joined by dots, and members that the sensor has no channels for are listed and left out. Copies of a frame that several gateways received are stored once. Other messages than uplinks become the sensor's `lastEvent`."

  return new Elysia({ name: 'lorawan' })
    .post('/ingest/ttn', ({ request }) => answer(request, readThingsStack), {
      parse: 'none',
      transform: bilingual,
      ...operation({
        summary: 'Receive a webhook of The Things Stack',
        description: `Takes messages of webhooks of The Things Stack v3 in JSON. ${HOW}`,
        requestBody: { required: true, content: { 'application/json': { schema: { type: 'object' } } } },
        responses: answers,
      }),
    })
    .post(
      '/ingest/chirpstack',
      ({ request, query }) => answer(request, (message) => readChirpstack(eventOf(query), message)),
      {
        parse: 'none',
        transform: bilingual,
        ...operation({
          summary: 'Receive an event of ChirpStack',
          description: `Takes events of the HTTP integration of ChirpStack v4 in JSON. ${HOW}`,
          parameters: [
            {
              name: 'event',
              in: 'query',
              required: true,
              description: 'ChirpStack adds it',
              schema: { type: 'string', enum: CHIRPSTACK_EVENTS },
            },
          ],
          requestBody: { required: true, content: { 'application/json': { schema: { type: 'object' } } } },
          responses: answers,
        }),
      },
    )
}

function noContent(request: Request): Response {
  const response = respond(request, null, JSON_TYPE, 204)
  response.headers.delete('content-type')
  return response
}

function noteUnknown(call: FleetCall<SensorProfile>, target: Target, devEui: string, nowMs: number): void {
  if ('reason' in target && target.reason === 'SENSOR_UNKNOWN')
    call.noteRefused([{ name: devEui, reason: target.reason }], nowMs)
}

function eventOf({ event }: Record<string, string | undefined>): ChirpstackEvent {
  const known = CHIRPSTACK_EVENTS.find((name) => name === event)
  if (known === undefined)
    throw invalidField('query.event', 'enum', fieldText('oneOf', { values: CHIRPSTACK_EVENTS.join(', ') }))
  return known
}
