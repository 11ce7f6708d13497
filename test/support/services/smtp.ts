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
  /** Flag of a mail received over TLS. */
  encrypted: boolean
  /** User of the login. */
  user: string | undefined
}

/** Stages at which the server can refuse, or stop responding. */
export type Stage = 'connect' | 'auth' | 'from' | 'to' | 'data'

export interface SinkOptions {
  /** Credentials that senders need. */
  auth?: { user: string; pass: string }
  /** TLS from the first byte. */
  secure?: boolean
  /** Offers no STARTTLS. */
  clear?: boolean
  refuses?: { stage: Stage; code: number; says: string }
  /** Stops responding at this stage. */
  hangs?: Stage
}

export interface SmtpSink {
  readonly port: number
  readonly mails: SunkMail[]
  /** Settings of a node that sends its mail here. */
  readonly settings: Record<string, unknown>
  /** Resolves with the first mail to an address that was not returned yet. Rejects after a timeout. */
  mailTo(address: string): Promise<SunkMail>
  stop(): Promise<void>
}

const TIMEOUT_MS = 10_000

export async function startSmtpSink(options: SinkOptions = {}): Promise<SmtpSink> {
  const mails: SunkMail[] = []
  const returned = new Set<SunkMail>()
  const { auth, refuses, hangs } = options

  /** Continues with the next stage, or applies the requested fault. */
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
      const late = performance.now() + TIMEOUT_MS
      for (;;) {
        const found = mails.find((mail) => mail.to.includes(wanted) && !returned.has(mail))
        if (found !== undefined) {
          returned.add(found)
          return found
        }
        if (performance.now() > late) throw new Error(`No mail arrived for ${wanted}; there are ${mails.length} others`)
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
    },
    stop: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}
