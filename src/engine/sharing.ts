/**
 * The owner's side of a run that several processes share: it works on parts itself until none are left, and repeats the
 * parts whose process was killed.
 */
import { AppError, CODES, type Code } from '../errors.ts'
import type { Failure, FromWorker, Outcome, ToWorker } from './protocol.ts'

type Waiting = {
  take(index: number | null): void
  /** Called with the outcome of a part that another process did. */
  settlePart(index: number, outcome: Outcome): void
}

/** The server's messages about the parts of a run. */
export type PartMessage = Extract<ToWorker, { grantedPart: unknown } | { part: number; outcome: unknown }>

export type Sharing = {
  /** @returns the results of the parts, in order */
  share(
    run: number,
    parts: readonly unknown[],
    work: (part: unknown) => Promise<unknown>,
    onProgress: (share: number) => void,
  ): Promise<never[]>
  receive(message: PartMessage): void
}

export function createSharing(send: (message: FromWorker) => void): Sharing {
  const open = new Map<number, Waiting>()

  async function share(
    run: number,
    parts: readonly unknown[],
    work: (part: unknown) => Promise<unknown>,
    onProgress: (share: number) => void,
  ): Promise<never[]> {
    const done = parts.map(() => Promise.withResolvers<unknown>())
    let finished = 0
    const count = (): void => onProgress(++finished / parts.length)
    // a failed part rejects `all`
    for (const { promise } of done) promise.then(count, () => undefined)
    let granted = Promise.withResolvers<number | null>()
    /** Parts of processes that were killed. */
    const lost: number[] = []
    let someLost = Promise.withResolvers<void>()
    open.set(run, {
      take: (index) => granted.resolve(index),
      settlePart: (index, outcome) => {
        if ('value' in outcome) done[index]?.resolve(outcome.value)
        else if ('failure' in outcome) done[index]?.reject(errorOf(outcome.failure))
        else {
          lost.push(index)
          someLost.resolve()
        }
      },
    })
    send({ run, share: [...parts] })
    const all = Promise.all(done.map(({ promise }) => promise))
    let hasFailed = false
    all.catch(() => {
      hasFailed = true
    })
    const doPart = async (index: number): Promise<void> => done[index]?.resolve(await work(parts[index]))
    try {
      while (!hasFailed) {
        granted = Promise.withResolvers()
        send({ run, requestPart: true })
        const index = await granted.promise
        if (index === null) break
        await doPart(index)
      }
      while (!hasFailed && finished < parts.length) {
        await Promise.race([all, someLost.promise])
        someLost = Promise.withResolvers()
        for (const index of lost.splice(0)) await doPart(index)
      }
      return (await all) as never[]
    } finally {
      open.delete(run)
    }
  }
  return {
    share,
    receive(message) {
      const waiting = open.get(message.run)
      if ('grantedPart' in message) waiting?.take(message.grantedPart)
      else waiting?.settlePart(message.part, message.outcome)
    },
  }
}

/** The error that a worker reported. */
export function errorOf(failure: Failure): AppError {
  if (failure.kind === 'unexpected') {
    const cause = new Error(failure.message)
    cause.stack = failure.stack
    return new AppError('TOOL_FAILED', { cause })
  }
  const { code, message, messageAr, errors, cause } = failure
  const known: Code = code in CODES ? (code as Code) : 'TOOL_FAILED'
  return new AppError(known, {
    message: { en: message, ar: messageAr },
    ...(errors && { errors }),
    ...(cause !== undefined && { cause: new Error(cause) }),
  })
}

/** An error in the form that a worker reports it. */
export function failureOf(error: unknown): Failure {
  if (error instanceof AppError) {
    const { code, message, messageAr, errors, cause } = error
    const about = cause instanceof Error ? cause.message : undefined
    return { kind: 'expected', code, message, messageAr, ...(errors && { errors }), ...(about && { cause: about }) }
  }
  const { message, stack = '' } = error instanceof Error ? error : new Error(String(error))
  return { kind: 'unexpected', message, stack }
}
