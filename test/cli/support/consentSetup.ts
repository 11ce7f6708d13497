/** Sets up two accounts of one running node that request and accept consents by commands. */
import { startTestNode } from '../../support/nodes/node.js'
import { testHome, type TestHome } from './closedHome.js'

export const ANA = 'ana-lovelace'
export const BEN = 'ben-hopper'

export type Json = Record<string, unknown>
type Event = { id: string; content: Json }

/** Options for the texts of an offer. */
export const offerTexts = ['--title', 'Study', '--title', 'fr=Étude', '--description', 'D', '--consent', 'C']

export interface ConsentSetup {
  home: TestHome
  /** Creates an invite by Ana; returns its link, id and content. */
  invite(...more: string[]): Promise<{ link: string; id: string; content: Json }>
  /** Runs `consents accept` for Ben; returns the result of the command. */
  accept(link: string, ...more: string[]): ReturnType<TestHome['run']>
  /** Accepts for Ben and returns the accept event; throws when the command fails. */
  acceptSuccessfully(link: string, ...more: string[]): Promise<Event>
  list(user: string, ...more: string[]): Promise<Json[]>
  show(id: string, user: string): Promise<Json>
  /** Polls `consents show` until the consent has a status, because deliveries are asynchronous. */
  showWithStatus(id: string, user: string, status: string): Promise<Json>
  stop(): Promise<void>
}

export async function startConsentSetup(): Promise<ConsentSetup> {
  const home = await testHome(ANA, BEN)
  const node = await startTestNode({}, { home: home.home })
  for (const id of ['diary', 'steps', 'sleep']) await home.json(`streams create ${id} --id ${id} --user ${BEN}`)
  const acceptCommand = (link: string, more: string[]): string[] => ['consents', 'accept', link, '--user', BEN, '--yes', ...more]
  const show = (id: string, user: string): Promise<Json> => home.json(['consents', 'show', id, '--user', user])
  return {
    home,
    async invite(...more) {
      const permission = more.includes('--permission') ? [] : ['--permission', 'diary:read']
      const { event } = await home.json(['consents', 'links', 'create', '--user', ANA, ...offerTexts, ...permission, ...more])
      const { id, content } = event as Event
      return { link: String(content['capabilityUrl']), id, content }
    },
    accept: (link, ...more) => home.run(acceptCommand(link, more)),
    acceptSuccessfully: async (link, ...more) => (await home.json(acceptCommand(link, more)))['event'] as Event,
    list: async (user, ...more) => (await home.json(['consents', 'list', '--user', user, ...more]))['consents'] as Json[],
    show,
    showWithStatus: (id, user, status) => pollUntil(() => show(id, user), ({ consent }) => (consent as Json)['status'] === status),
    async stop() {
      await node.stop()
      await home.remove()
    },
  }
}

/** Polls until `isDone` holds, for at most ten seconds; returns the last value. */
export async function pollUntil<T>(read: () => Promise<T>, isDone: (value: T) => boolean): Promise<T> {
  const until = performance.now() + 10_000
  for (;;) {
    const value = await read()
    if (isDone(value) || performance.now() > until) return value
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
