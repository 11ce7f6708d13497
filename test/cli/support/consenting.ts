/** Two accounts of one running node that ask and agree by commands. */
import { startTestNode } from '../../support/nodes/node.js'
import { testHome, type TestHome } from './closedHome.js'

export const ANA = 'ana-lovelace'
export const BEN = 'ben-hopper'

export type Json = Record<string, unknown>
type Event = { id: string; content: Json }

/** The words of an offer, as options. */
export const words = ['--title', 'Study', '--title', 'fr=Étude', '--description', 'D', '--consent', 'C']

export interface Consenting {
  home: TestHome
  /** Ana asks; answers the link and the id of the invite. */
  ask(...more: string[]): Promise<{ link: string; id: string; content: Json }>
  /** Ben agrees, whatever comes of it. */
  accept(link: string, ...more: string[]): ReturnType<TestHome['run']>
  /** Ben agrees, which is to succeed. */
  agree(link: string, ...more: string[]): Promise<Event>
  list(user: string, ...more: string[]): Promise<Json[]>
  show(id: string, user: string): Promise<Json>
  /** What the command shows once the consent has a status: what follows an answer comes by itself. */
  showOnce(id: string, user: string, status: string): Promise<Json>
  stop(): Promise<void>
}

export async function startConsenting(): Promise<Consenting> {
  const home = await testHome(ANA, BEN)
  const node = await startTestNode({}, { home: home.home })
  for (const id of ['diary', 'steps', 'sleep']) await home.json(`streams create ${id} --id ${id} --user ${BEN}`)
  const accepting = (link: string, more: string[]): string[] => ['consents', 'accept', link, '--user', BEN, '--yes', ...more]
  const show = (id: string, user: string): Promise<Json> => home.json(['consents', 'show', id, '--user', user])
  return {
    home,
    async ask(...more) {
      const permission = more.includes('--permission') ? [] : ['--permission', 'diary:read']
      const { event } = await home.json(['consents', 'links', 'create', '--user', ANA, ...words, ...permission, ...more])
      const { id, content } = event as Event
      return { link: String(content['capabilityUrl']), id, content }
    },
    accept: (link, ...more) => home.run(accepting(link, more)),
    agree: async (link, ...more) => (await home.json(accepting(link, more)))['event'] as Event,
    list: async (user, ...more) => (await home.json(['consents', 'list', '--user', user, ...more]))['consents'] as Json[],
    show,
    showOnce: (id, user, status) => seen(() => show(id, user), ({ consent }) => (consent as Json)['status'] === status),
    async stop() {
      await node.stop()
      await home.remove()
    },
  }
}

/** Looks until `isThere`, for ten seconds; answers what was seen last. */
export async function seen<T>(look: () => Promise<T>, isThere: (value: T) => boolean): Promise<T> {
  const until = performance.now() + 10_000
  for (;;) {
    const value = await look()
    if (isThere(value) || performance.now() > until) return value
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
