/** The clients that have signed in, by sender: a change of a sensor must not look at all connections. */
import type { Client } from 'aedes'
import type { Change } from '../../stores/changes.ts'
import type { MqttSender } from './senders.ts'

type Ack = { isSettled: boolean; error: Error | undefined; done(error?: Error | null): void }
export type Session = {
  sender: MqttSender
  client: Client
  /** In the order of the messages: acknowledgements must have it too. */
  acks: Ack[]
  /** Whether its settled messages will be acknowledged in a later turn. */
  isAnswering: boolean
  /** When the messages so far would have been sent at the highest rate. */
  evenMs: number
}

export type Sessions = ReturnType<typeof createSessions>

export function createSessions() {
  const sessions = new Map<Client, Session>()
  const bySender = new Map<string, Set<Session>>()
  return {
    of: (client: Client): Session | undefined => sessions.get(client),
    count: () => sessions.size,
    add(session: Session): void {
      const { id } = session.sender
      sessions.set(session.client, session)
      bySender.set(id, (bySender.get(id) ?? new Set()).add(session))
    },
    remove(client: Client): void {
      const session = sessions.get(client)
      if (session === undefined) return
      sessions.delete(client)
      const { id } = session.sender
      const others = bySender.get(id)
      others?.delete(session)
      if (others?.size === 0) bySender.delete(id)
    },
    /** Those whose right to send the change can take away. */
    concernedBy(change: Change): Session[] {
      if (change.kind === 'missed') return [...sessions.values()]
      if (change.kind === 'enterprise')
        return [...sessions.values()].filter(({ sender }) => sender.enterpriseId === change.id)
      const isOfSender = change.kind === 'sensor' || change.kind === 'fleet-key'
      return isOfSender ? [...(bySender.get(change.id) ?? [])] : []
    },
  }
}
