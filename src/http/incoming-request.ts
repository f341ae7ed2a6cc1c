/**
 * A request of a connection. Its `signal` is aborted when the client hangs up, and is created when somebody asks for it:
 * most calls end before anybody would have listened.
 */
export class IncomingRequest extends Request {
  #controller: AbortController | undefined
  #isAbandoned = false

  static {
    // the type of Request has it as a property, which no accessor may override
    Object.defineProperty(IncomingRequest.prototype, 'signal', {
      get(this: IncomingRequest) {
        return this.#ownSignal()
      },
    })
  }

  #ownSignal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#isAbandoned) this.#controller.abort()
    }
    return this.#controller.signal
  }

  /** The client has hung up. */
  abandon(): void {
    this.#isAbandoned = true
    this.#controller?.abort()
  }
}
