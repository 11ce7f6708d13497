/**
 * Pending sessions of the second factor: logins that wait for it, and new factors that wait for their confirmation
 * (accounts supplement 5.1). They are in memory and end with the process.
 */
import { randomUUID } from 'node:crypto'
import type { Enrolment } from '../../store/model/mfa.js'
import { Failure } from '../../store/model/failure.js'
import type { Secret } from '../../store/model/secret.js'
import type { CallRecorder } from '../audit/auditEntry.js'
import type { Result } from '../method.js'

/** The code of the latest text message of a session. */
export interface SentCode {
  /** When it was sent, in seconds. */
  at: number
  /** SHA-256, hexadecimal; absent when the text message service made the code. */
  digest?: string
}

interface Pending {
  token: string
  /** Prefix of the account. */
  account: string
  /** In seconds; fixed when the session is opened. */
  expires: number
  /** Attempts so far, be they under way. */
  attempts: number
  /** The account's password when it was opened: what a password opened ends when it is none any more. */
  passwordHash: string
  sent?: SentCode
  /** When a text message was last asked for, in seconds. */
  asked?: number
}

/** A login whose password was right. */
export interface PendingLogin extends Pending {
  kind: 'login'
  /** The factor that it was opened against. */
  enrolment: string
  /** Opens the session that the login asks for, and answers with it. */
  complete(trail: CallRecorder | undefined): Promise<Result>
}

/** A factor that its owner has not confirmed yet. */
export interface PendingEnrolment extends Pending {
  kind: 'enroll'
  /** The personal access that began it, which must not have ended; absent for the operator's. */
  access?: string
  /** The factor that it would replace. */
  replaces: string | undefined
  method: Enrolment['method']
  content: Record<string, string>
  /** Of an authenticator app. */
  totp?: { secret: Secret<string>; digits: number; periodSeconds: number }
}

export type PendingSession = PendingLogin | PendingEnrolment

/** What a caller of `open` decides; the rest is the same for all. */
export type NewSession = Omit<PendingLogin, 'expires' | 'attempts'> | Omit<PendingEnrolment, 'expires' | 'attempts'>

export interface MfaSessions {
  /** @throws Failure `too-many-requests` when no session of this kind and account may be opened, one that it displaces left out */
  assertCapacity(about: Pick<NewSession, 'kind' | 'account'>): void
  /**
   * Keeps a session under its token. A new enrolment ends the one of its account before it; a login beyond the most of
   * an account ends the oldest one.
   * @throws Failure `too-many-requests`
   */
  open(session: NewSession): void
  /** The live session of a token on an account; undefined also for tokens of other accounts. */
  find(token: string, account: string): PendingSession | undefined
  /** Ends a session; false when it had ended before: of simultaneous callers one gets true. */
  end(session: PendingSession): boolean
}

export interface MfaSessionRules {
  ttlSeconds: number
  maxPending: number
  maxPendingPerUser: number
}

/** A token for a session to come. */
export const newMfaToken = (): string => randomUUID()

/** `now` in seconds. */
export function createMfaSessions(rules: MfaSessionRules, now: () => number): MfaSessions {
  // In the order of their opening, which is that of their end: all live equally long.
  const sessions = new Map<string, PendingSession>()
  const byAccount = new Map<string, Set<PendingSession>>()

  function remove(session: PendingSession): boolean {
    if (!sessions.delete(session.token)) return false
    const others = byAccount.get(session.account)
    others?.delete(session)
    if (others?.size === 0) byAccount.delete(session.account)
    return true
  }

  function removeExpired(): void {
    for (const session of sessions.values()) {
      if (session.expires > now()) return
      remove(session)
    }
  }

  /** What a session that is about to open displaces. */
  function displaced({ kind, account }: Pick<NewSession, 'kind' | 'account'>): PendingSession[] {
    const alike = [...(byAccount.get(account) ?? [])].filter((other) => other.kind === kind)
    return alike.slice(0, Math.max(0, alike.length + 1 - (kind === 'enroll' ? 1 : rules.maxPendingPerUser)))
  }

  function refuseWhenFull(about: Pick<NewSession, 'kind' | 'account'>): void {
    removeExpired()
    if (sessions.size - displaced(about).length < rules.maxPending) return
    const [oldest] = sessions.values()
    const retryAfterSeconds = Math.max(1, Math.ceil((oldest?.expires ?? 0) - now()))
    throw new Failure('too-many-requests', 'Too many logins wait for their second factor.', { retryAfterSeconds })
  }

  return {
    assertCapacity: refuseWhenFull,
    open(input) {
      refuseWhenFull(input)
      for (const other of displaced(input)) remove(other)
      const session = { ...input, expires: now() + rules.ttlSeconds, attempts: 0 }
      sessions.set(session.token, session)
      const others = byAccount.get(session.account) ?? new Set()
      byAccount.set(session.account, others.add(session))
    },
    find(token, account) {
      removeExpired()
      const session = sessions.get(token)
      return session?.account === account ? session : undefined
    },
    end: remove,
  }
}
