/**
 * Renewals of a lease while its holder works. None starts while another one runs: if the database does not answer, they
 * would take one connection after the other.
 */
export type Renewals = {
  /** Renews now, unless that is under way. */
  renew(): void
  stop(): void
}

export function startRenewals(work: () => Promise<void>, everyMs: number, onError: (error: unknown) => void): Renewals {
  let isUnderWay = false
  function renew(): void {
    if (isUnderWay) return
    isUnderWay = true
    work()
      .catch(onError)
      .finally(() => {
        isUnderWay = false
      })
  }
  const timer = setInterval(renew, everyMs)
  return { renew, stop: () => clearInterval(timer) }
}
