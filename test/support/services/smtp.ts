/**
 * An SMTP server on the loopback that keeps what it gets: for tests that read the mails of a node.
 *
 *   const sink = await startSmtpSink()
 *   const node = await startTestNode({ ...sink.settings })
 *   …
 *   const { subject, text } = await sink.mailTo('ana@example.org')
 */
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { readMail, type ReadMail } from './mime.js'

export interface SunkMail extends ReadMail {
  from: string
  to: string[]
  raw: string
  /** Whether it came over TLS. */
  encrypted: boolean
  /** Who had logged in. */
  user: string | undefined
}

/** Where the server can refuse, or fall silent. */
export type Stage = 'connect' | 'auth' | 'from' | 'to' | 'data'

export interface SinkOptions {
  /** Whoever sends has to log in with these. */
  auth?: { user: string; pass: string }
  /** TLS from the first byte. */
  secure?: boolean
  /** Offers no STARTTLS. */
  clear?: boolean
  refuses?: { stage: Stage; code: number; says: string }
  /** Falls silent at this stage. */
  hangs?: Stage
}

export interface SmtpSink {
  readonly port: number
  readonly mails: SunkMail[]
  /** Settings of a node that sends its mail here. */
  readonly settings: Record<string, unknown>
  /** The first mail to an address that was not asked for yet. Rejects when none comes. */
  mailTo(address: string): Promise<SunkMail>
  stop(): Promise<void>
}

const PATIENCE_MS = 10_000

export async function startSmtpSink(options: SinkOptions = {}): Promise<SmtpSink> {
  const mails: SunkMail[] = []
  const given = new Set<SunkMail>()
  const { auth, refuses, hangs } = options

  /** Goes on to the next stage, or does what was asked for at this one. */
  function at(stage: Stage, next: (error?: Error | null) => void): void {
    if (hangs === stage) return
    if (refuses?.stage === stage) next(Object.assign(new Error(refuses.says), { responseCode: refuses.code }))
    else next()
  }

  const handlers: SMTPServerOptions = {
    onConnect: (_, done) => at('connect', done),
    onAuth({ username, password }, _, done) {
      at('auth', (error) => {
        if (error) return done(error)
        if (auth !== undefined && (username !== auth.user || password !== auth.pass)) return done(new Error('Wrong user or password'))
        done(null, { user: username ?? '' })
      })
    },
    onMailFrom: (_, __, done) => at('from', done),
    onRcptTo: (_, __, done) => at('to', done),
    onData(stream, session, done) {
      const pieces: Buffer[] = []
      stream.on('data', (piece: Buffer) => pieces.push(piece))
      stream.on('end', () =>
        at('data', (error) => {
          if (error) return done(error)
          const raw = Buffer.concat(pieces).toString('utf8')
          const { mailFrom, rcptTo } = session.envelope
          mails.push({
            ...readMail(raw),
            raw,
            from: mailFrom === false ? '' : mailFrom.address,
            to: rcptTo.map(({ address }) => address),
            encrypted: session.secure,
            user: session.user,
          })
          done()
        }),
      )
    },
  }
  const server = new SMTPServer({
    ...handlers,
    secure: options.secure === true,
    authOptional: auth === undefined,
    ...(options.clear === true ? { hideSTARTTLS: true, allowInsecureAuth: true } : {}),
    disabledCommands: auth === undefined ? ['AUTH'] : [],
    logger: false,
    closeTimeout: 100,
  })
  server.on('error', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    port,
    mails,
    settings: {
      'services.email.smtp.host': '127.0.0.1',
      'services.email.smtp.port': port,
      ...(options.secure === true ? { 'services.email.smtp.secure': true } : {}),
      ...(auth === undefined
        ? {}
        : { 'services.email.smtp.auth.user': auth.user, 'services.email.smtp.auth.pass': auth.pass }),
    },
    async mailTo(wanted) {
      const late = performance.now() + PATIENCE_MS
      for (;;) {
        const found = mails.find((mail) => mail.to.includes(wanted) && !given.has(mail))
        if (found !== undefined) {
          given.add(found)
          return found
        }
        if (performance.now() > late) throw new Error(`No mail came to ${wanted}; there are ${mails.length} others`)
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
    },
    stop: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}
