/** Authenticates and authorizes calls before their bodies are read and validated. */
import { peerOf } from './address.ts'
import { type BodyLimits, mediaTypeOf, readJson } from './body/body.ts'
import { type Holding, hold, identify } from './request-context.ts'
import { isOperatorListener } from './route-options.ts'

/** A request with the route that answers it, as it was declared: `/a/:id`. */
export type RoutedRequest = { request: Request; route: string; params: Readonly<Record<string, string>> }

/** The facts of a call that authentication and authorization depend on (access/sessions/session-rights.ts). */
/** @param isRecheck whether the call was checked before */
export const callFacts = ({ request, route, params }: RoutedRequest, isRecheck = false) => ({
  method: request.method,
  route,
  params,
  url: request.url,
  peer: peerOf(request),
  onOperatorListener: isOperatorListener(request),
  isRecheck,
})

export type Callers<Caller> = {
  /** The caller of a checked request. @throws AppError as the check did */
  of(request: Request): Promise<Caller>
  /**
   * For an Elysia instance whose routes take JSON: `onParse(callers.parse(limits))`. Elysia parses before it calls any
   * other hook, so the caller has to be known here.
   */
  parse(limits: BodyLimits): (context: RoutedRequest) => Promise<unknown>
  /** For every instance, before validation: `onTransform(callers.check)`. */
  check(context: RoutedRequest & { body: unknown }): Promise<void>
}

/**
 * @param authenticate is called once for each request, and again as a recheck while its answer lasts
 * @param nameOf the caller's name in the log
 * @param holdingOf the records that the rights of the caller depend on
 * @param subjectIn the id that the caller's rights were checked for
 * @param checkBody rejects fields that the caller may not set
 * @param count counts the call, once the caller is known
 */
export function createCallers<Caller>(
  authenticate: (call: RoutedRequest, isRecheck: boolean) => Promise<Caller>,
  nameOf: (caller: Caller) => string,
  holdingOf: (caller: Caller) => Holding | undefined,
  checkBody: (caller: Caller, body: unknown) => void | Promise<void> = () => undefined,
  count: (caller: Caller, request: Request) => Promise<void> = async () => undefined,
  subjectIn: (caller: Caller) => string | undefined = () => undefined,
): Callers<Caller> {
  const known = new WeakMap<Request, Promise<Caller>>()

  function enter({ request, route, params }: RoutedRequest): Promise<Caller> {
    let caller = known.get(request)
    if (caller === undefined) {
      const check = (isRecheck: boolean): Promise<Caller> => authenticate({ request, route, params }, isRecheck)
      caller = check(false).then(async (found) => {
        await count(found, request)
        identify(request, nameOf(found), subjectIn(found))
        hold(request, holdingOf(found), async () => holdingOf(await check(true)))
        return found
      })
      known.set(request, caller)
    }
    return caller
  }

  return {
    async of(request) {
      const caller = known.get(request)
      if (caller === undefined)
        throw new Error(`${request.method} ${request.url} was not checked before it was answered`)
      return caller
    },
    parse:
      (limits) =>
      async ({ request, route, params }) => {
        await enter({ request, route, params })
        // Elysia passes a type only for requests that carry a body
        return readJson(request, mediaTypeOf(request.headers.get('content-type')), limits)
      },
    async check({ request, route, params, body }) {
      await checkBody(await enter({ request, route, params }), body)
    },
  }
}
