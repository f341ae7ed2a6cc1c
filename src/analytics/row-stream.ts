/** Rows of a database as the body of an answer. */

/**
 * Reads as fast as the client reads; when the client disconnects, the iterator ends, and its query with it.
 * @param onError receives errors that occur after the transfer has started
 * @param already pieces that were read before the answer began
 */
export function streamOf(
  pieces: AsyncIterator<Uint8Array>,
  onError: (error: unknown) => void,
  already: readonly Uint8Array[] = [],
): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of already) controller.enqueue(piece)
    },
    async pull(controller) {
      try {
        const { done, value } = await pieces.next()
        if (done === true) controller.close()
        else controller.enqueue(value)
      } catch (error) {
        // the client sees a broken transfer, the log gets the cause
        onError(error)
        controller.error(error)
      }
    },
    async cancel() {
      await pieces.return?.()
    },
  })
}
