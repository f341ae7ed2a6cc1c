/** Finds out who calls before the body of the call is read and its fields are checked. */
import { type BodyLimits, readJson } from './body.ts'
import { identify } from './request-context.ts'

export type Callers<Caller> = {
  /** Authenticates a request once. @throws AppError when its key is not valid */
  of(request: Request): Promise<Caller>
  /**
   * For an instance whose routes get JSON: `onParse(callers.parse(limits))`. Elysia parses before it calls any other
   * hook, so the caller has to be known here.
   */
  parse(limits: BodyLimits): (context: { request: Request; contentType: string }) => Promise<unknown>
  /** For every instance: `onTransform(callers.check)`, before the validation of a call without a body. */
  check(context: { request: Request }): Promise<void>
}

/** @param nameOf what the log calls the caller */
export function createCallers<Caller>(
  authenticate: (request: Request) => Promise<Caller>,
  nameOf: (caller: Caller) => string,
): Callers<Caller> {
  const known = new WeakMap<Request, Promise<Caller>>()

  function of(request: Request): Promise<Caller> {
    let caller = known.get(request)
    if (caller === undefined) {
      caller = authenticate(request).then((found) => {
        identify(request, nameOf(found))
        return found
      })
      known.set(request, caller)
    }
    return caller
  }

  return {
    of,
    parse:
      (limits) =>
      async ({ request, contentType }) => {
        await of(request)
        return readJson(request, contentType, limits)
      },
    async check({ request }) {
      await of(request)
    },
  }
}
