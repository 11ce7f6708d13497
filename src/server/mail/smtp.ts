/** Delivery over SMTP: one connection per mail, with a timeout. */
import type { SMTPTransportOptions } from 'nodemailer/lib/smtp-transport'
import { isLoopbackHost } from '../base/loopback.js'
import type { Config } from '../config/config.js'
import type { Deliver, Letter, Page, Recipient, SmtpLine } from './letter.js'

const CONNECT_MS = 10_000
const SILENCE_MS = 15_000

/** Returns a message for nodemailer. Addresses are objects, so that none is parsed as a list. */
export function messageOf({ to }: Letter, { subject, html, text }: Page, from: Required<Recipient>): object {
  return {
    from,
    to: { name: to.name ?? '', address: to.address },
    subject,
    html,
    text,
    // Autoresponders ignore such mail (RFC 3834).
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

/** Returns the nodemailer options for the configured SMTP server. */
export function smtpOptions(config: Config): SMTPTransportOptions {
  const host = config.get('services.email.smtp.host') ?? ''
  const user = config.get('services.email.smtp.auth.user')
  const pass = config.get('services.email.smtp.auth.pass') ?? ''
  const secure = config.get('services.email.smtp.secure')
  const isLoopback = isLoopbackHost(host)
  const hasAuth = user !== null && user !== ''
  return {
    host,
    port: config.get('services.email.smtp.port'),
    secure,
    ...(hasAuth ? { auth: { user, pass } } : {}),
    // Encryption is required to send a password to another machine. For a server on this machine, certificates are not checked.
    requireTLS: !secure && hasAuth && !isLoopback,
    ...(isLoopback ? { tls: { rejectUnauthorized: false } } : {}),
    connectionTimeout: CONNECT_MS,
    dnsTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
  }
}

/** Returns a delivery to the configured SMTP server. */
export function smtpDelivery(config: Config, from: () => Required<Recipient>): Deliver {
  const options = smtpOptions(config)
  return async (letter, { signal, onLine }) => {
    const message = messageOf(letter, await letter.render(), from())
    signal.throwIfAborted()
    const { createTransport } = await import('nodemailer')
    const transport = createTransport({
      ...options,
      ...(onLine === undefined ? {} : { transactionLog: true, logger: lineLogger(onLine) }),
    })
    await transport.sendMail({ ...message, signal })
  }
}

/** Returns a logger that forwards the SMTP dialogue without the login. */
function lineLogger(onLine: (line: SmtpLine) => void): Record<string, (...args: unknown[]) => void> {
  let isLogin = false
  const notify = (entry: unknown, ...rest: unknown[]): void => {
    if (typeof entry !== 'object' || entry === null || !('tnx' in entry)) return
    const by = entry.tnx === 'client' ? 'node' : entry.tnx === 'server' ? 'server' : undefined
    if (by === undefined) return
    const [format = '', ...words] = rest.map(String)
    let at = 0
    const text = format.replace(/%s/g, () => words[at++] ?? '').replace(/\r?\n$/, '')
    for (const line of text.split(/\r?\n/)) {
      if (by === 'server') {
        onLine({ by, line: isLogin && line.startsWith('334') ? '334 …' : line })
        if (!line.startsWith('334')) isLogin = false
      } else {
        const method = /^AUTH +(\S+)/i.exec(line)?.[1]
        if (method !== undefined) isLogin = true
        onLine({ by, line: method !== undefined ? `AUTH ${method} (hidden)` : isLogin ? '(hidden)' : line })
      }
    }
  }
  return { trace: notify, debug: notify, info: notify, warn: notify, error: notify, fatal: notify }
}
