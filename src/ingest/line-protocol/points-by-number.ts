/** Lists of points, without an array that grows for each of them. */

/**
 * @param numbers by point, below `count`; negative for a point that is in no list
 * @returns by number its points, in their order
 */
export function pointsByNumber(count: number, numbers: Int32Array): Uint32Array[] {
  const counts = new Uint32Array(count)
  for (const number of numbers) if (number >= 0) counts[number] = (counts[number] as number) + 1
  const ordered = new Uint32Array(numbers.length)
  let start = 0
  const lists = Array.from(counts, (length) => {
    start += length
    return ordered.subarray(start - length, start)
  })
  counts.fill(0)
  for (let point = 0; point < numbers.length; point++) {
    const number = numbers[point] as number
    if (number < 0) continue
    const points = lists[number] as Uint32Array
    points[counts[number] as number] = point
    counts[number] = (counts[number] as number) + 1
  }
  return lists
}

export function joined(lists: readonly Uint32Array[]): Uint32Array {
  const all = new Uint32Array(lists.reduce((length, list) => length + list.length, 0))
  let at = 0
  for (const list of lists) {
    all.set(list, at)
    at += list.length
  }
  return all
}
