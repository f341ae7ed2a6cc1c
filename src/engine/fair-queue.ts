/**
 * Runs that wait for a worker process, one queue for each tenant. Tenants take turns (round robin), so that one
 * tenant's wait does not depend on another tenant's number of calls. When too many wait, the newest run of the tenant
 * with the longest queue is refused ("longest queue drop", Suter et al. 1998), which never refuses a tenant with few
 * runs.
 */
export type Waiting = { tenant: string }

export type QueueLimits = {
  /** Runs that may wait in total. */
  total: number
  /** Runs of one tenant that may wait. */
  perTenant: number
}

export class FairQueue<Item extends Waiting> {
  /** The tenant whose turn is next comes first. A tenant without waiting runs has no entry. */
  private readonly queues = new Map<string, Item[]>()
  private count = 0

  get length(): number {
    return this.count
  }

  /** Number of waiting runs per tenant. */
  *lengths(): Iterable<[tenant: string, length: number]> {
    for (const [tenant, queue] of this.queues) yield [tenant, queue.length]
  }

  add(item: Item): void {
    const queue = this.queues.get(item.tenant)
    if (queue === undefined) this.queues.set(item.tenant, [item])
    else queue.push(item)
    this.count++
  }

  /** Takes the first run that can start now, in the order of turns. A tenant's own runs keep their order. */
  take(canStart: (item: Item) => boolean): Item | undefined {
    for (const [tenant, queue] of this.queues) {
      const at = queue.findIndex(canStart)
      if (at < 0) continue
      const [item] = queue.splice(at, 1)
      this.count--
      // it was this tenant's turn
      this.queues.delete(tenant)
      if (queue.length > 0) this.queues.set(tenant, queue)
      return item
    }
    return undefined
  }

  /** Removes one run when the queue is over its limit; called after each added run. */
  takeExcess({ total, perTenant }: QueueLimits, added: Item): Item | undefined {
    const own = this.queues.get(added.tenant)?.length ?? 0
    if (own > perTenant) return this.takeNewest(added.tenant)
    if (this.count <= total) return undefined
    let longest = added.tenant
    for (const [tenant, queue] of this.queues)
      if (queue.length > (this.queues.get(longest)?.length ?? 0)) longest = tenant
    return this.takeNewest(longest)
  }

  remove(item: Item): boolean {
    const queue = this.queues.get(item.tenant)
    const at = queue?.indexOf(item) ?? -1
    if (queue === undefined || at < 0) return false
    queue.splice(at, 1)
    if (queue.length === 0) this.queues.delete(item.tenant)
    this.count--
    return true
  }

  takeAll(): Item[] {
    const all = [...this.queues.values()].flat()
    this.queues.clear()
    this.count = 0
    return all
  }

  private takeNewest(tenant: string): Item | undefined {
    const item = this.queues.get(tenant)?.at(-1)
    if (item !== undefined) this.remove(item)
    return item
  }
}
