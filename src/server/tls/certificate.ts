/** Interface of the node's HTTPS certificate, from any source. */
import type { Registry } from '../platform/registry/port.js'
import type { Config } from '../config/config.js'
import type { Log } from '../base/log.js'
import type { Pair, PairFault, PairFiles } from './pair.js'

/** A certificate, as shown to the operator. */
export interface CertificateFacts {
  hostname: string
  /** Milliseconds since 1970. */
  issuedAt: number
  expiresAt: number
  /** Days, rounded; negative once it has expired. */
  daysUntilExpiry: number | null
}

/** Reason that the configured certificate is not served: a fault of the files, or no certificate from the authority. */
export type CertificateFault = PairFault | 'not-issued' | 'not-renewed'

/** State of a node's certificate, without its key. */
export interface CertificateState {
  /** The served certificate, or the one that would be served; null when there is none that clients trust. */
  certificate: (CertificateFacts & { names: string[]; coversAddress: boolean }) | null
  /** `setting` and `file` exist for certificates from files only. */
  problem: { fault: CertificateFault; message: string; setting?: string; file?: string } | null
  /** Files of the pair; absent when an authority issues it. */
  files?: PairFiles
  /** True when others than the owner can read the key file. */
  isKeyOpen: boolean
}

/** A certificate cannot be renewed; the message gives the reason. */
export class NotRenewed extends Error {}

export interface Certificates {
  /** True when the node serves HTTPS itself. */
  readonly isOn: boolean
  /**
   * Returns the pair to serve from now on.
   * @throws CertificateProblem when there is none
   */
  load(): Promise<Pair>
  /** Calls `swap` with each new pair to serve. Returns a stop function. */
  follow(swap: (pair: Pair) => void): () => void
  /** Checks now for a newer pair. */
  check(): Promise<void>
  /** Returns the expiry of the served pair, in milliseconds since 1970. */
  expiresAt(): number | undefined
  /** Lists the certificates for the API. */
  list(): Promise<CertificateFacts[]>
  /** Checks and returns the state; undefined when HTTPS is off. */
  state(): Promise<CertificateState | undefined>
  /** Returns the key authorization for an ACME challenge token. */
  answerTo(token: string): string | undefined
  /**
   * Renews at once.
   * @param hostname renews only the certificate for this name
   * @throws NotRenewed
   */
  renew(hostname?: string): Promise<CertificateFacts>
}

export interface CertificateParts {
  config: Config
  log: Log
  /** Seconds since 1970. */
  now(): number
  /** Public URL of the node. */
  publicBase(): string
}

/** Storage of certificates from an authority. */
export interface CertificateStore {
  registry: Pick<Registry, 'core' | 'isShared' | 'records' | 'ownRecords' | 'platformSeal' | 'cores'>
  /** Home folder of the node. */
  home: string
}

/** Needed by functions that use the certificate of the node. */
export interface CertificateDeps {
  readonly certificates: Certificates
}
