/** Calls of Tool APIs from their arrival to their answer: admission, the run, and its statistics. */
import { peerOf } from '../../http/address.ts'
import { asAppError } from '../../http/envelope.ts'
import { type Holding, hold, identify, requestContextOf } from '../../http/request-context.ts'
import { longRunning } from '../../http/route-options.ts'
import { type KeySpace, keySpaceOf } from '../../stores/postgres/runs/idempotency.ts'
import type { ToolApiFacts } from '../../stores/postgres/runs/tool-apis.ts'
import { createBindings } from '../../tool-apis/bindings.ts'
import { messageWithoutInput } from '../../tool-apis/refusal-example.ts'
import type { ToolApiDeps } from './deps.ts'
import { type GivenInput, run } from './run.ts'

/** The namespace of a call's `Idempotency-Key`, and whether the call was counted in the day already. */
type Place = { space: KeySpace; route: string; isCounted: boolean }

export type ToolApiCalls = {
  /** A call with the Tool API's key. @throws the errors of the gate and the tool */
  withKey(request: Request, id: string): Promise<Response>
  /**
   * A call without a key, by somebody whose right to manage the Tool API was checked. It counts like any other call,
   * and statistics count it separately. @throws the same, and AppError NOT_FOUND
   */
  trial(request: Request, id: string, place: Place): Promise<Response>
  /**
   * Runs a tool as it would be saved. It counts against the limits like a call, but in no statistics, because there is
   * no Tool API.
   * @throws the errors of the gate's counting and the tool
   */
  preview(request: Request, facts: ToolApiFacts, input: GivenInput, place: Place): Promise<Response>
}

const holdingOf = ({ api, owner, expiresMs }: ToolApiFacts & { expiresMs: number }): Holding => ({
  as: api.id,
  ids: [api.id, owner.id],
  expiresMs,
})

export function createToolApiCalls(deps: ToolApiDeps): ToolApiCalls {
  const { gate, usage } = deps
  const bindings = createBindings(deps)

  async function answer(
    request: Request,
    toolApiId: string,
    isTrial: boolean,
    admit: () => Promise<ToolApiFacts>,
    placeFor: (facts: ToolApiFacts) => Place,
  ): Promise<Response> {
    const [atMs, startedMs] = [Date.now(), performance.now()]
    let wasAdmitted = false
    const facts = { toolApiId, atMs, isTrial }
    try {
      const admitted = await admit()
      longRunning({ request })
      const place = placeFor(admitted)
      const countInDay = async (): Promise<void> => {
        if (!place.isCounted) await gate.countInDay(admitted, atMs)
        wasAdmitted = true
      }
      const { response, features } = await run(deps, bindings, request, admitted, place, countInDay)
      const durationMs = performance.now() - startedMs
      // a replayed call was counted the first time
      if (features !== undefined) usage.add({ ...facts, wasAdmitted, durationMs, features, code: 'TOOL_API_RESULT' })
      return response
    } catch (thrown) {
      const error = asAppError(request, thrown)
      const durationMs = performance.now() - startedMs
      const refusal = { message: messageWithoutInput(error), requestId: requestContextOf(request).requestId }
      if (gate.knows(toolApiId))
        usage.add({ ...facts, wasAdmitted, durationMs, features: 0, code: error.code, refusal })
      throw thrown
    }
  }

  return {
    withKey: (request, id) =>
      answer(
        request,
        id,
        false,
        async () => {
          const check = () => gate.authenticate(id, peerOf(request))
          const facts = await check()
          identify(request, facts.api.id)
          hold(request, holdingOf(facts), async () => holdingOf(await check()))
          return facts
        },
        ({ api, owner }) => ({
          space: keySpaceOf(api.id, owner.id),
          route: 'POST /tool-apis/{id}/run',
          isCounted: false,
        }),
      ),
    trial: (request, id, place) =>
      answer(
        request,
        id,
        true,
        () => gate.admit(id),
        () => place,
      ),
    async preview(request, facts, input, place) {
      const countInDay = async () => {
        if (!place.isCounted) await gate.countInDay(facts, Date.now())
      }
      return (await run(deps, bindings, request, facts, place, countInDay, input)).response
    },
  }
}
