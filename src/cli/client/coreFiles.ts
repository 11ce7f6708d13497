/** Files and settings of a core on a platform, which the commands write that create a platform or join one. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Environment, Paths } from '../framework/paths.js'
import { wholeFile } from '../terminal/output/file.js'

/** Paths of the certificate files of a core, in PEM. */
interface CoreFiles {
  /** Certificate authority of the platform. */
  ca: string
  /** Certificate authority of the members of etcd. */
  etcdCa: string
  etcdCert: string
  etcdKey: string
  coreCert: string
  coreKey: string
}

/** Returns the paths of the certificate files in a home. */
export function coreFiles(home: string): CoreFiles {
  const at = (name: string): string => join(home, 'platform', name)
  return { ca: at('ca.pem'), etcdCa: at('etcd-ca.pem'), etcdCert: at('etcd.crt'), etcdKey: at('etcd.key'), coreCert: at('core.crt'), coreKey: at('core.key') }
}

/** Writes certificate files, each atomically and readable by its owner only. Files without a text are not written. */
export async function writeCoreFiles(home: string, texts: Partial<Record<keyof CoreFiles, string | null>>): Promise<void> {
  await mkdir(join(home, 'platform'), { recursive: true, mode: 0o700 })
  const files = coreFiles(home)
  for (const [name, text] of Object.entries(texts)) {
    if (text === null || text === undefined) continue
    const file = await wholeFile(files[name as keyof CoreFiles])
    try {
      await file.write(text)
      await file.done()
    } finally {
      await file.drop()
    }
  }
}

/**
 * Checks settings together with those of the file and of the environment, before they are written.
 * @param settings values by name; null stands for the default
 * @throws ConfigError that names each problem
 */
export async function assertUsableSettings({ config: file }: Paths, env: Environment, settings: Readonly<Record<string, unknown>>): Promise<void> {
  const { loadConfig } = await import('../../server/config/config.js')
  loadConfig({ file, env, flags: Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== null)) })
}

/** Writes settings into the configuration file, in their order; null removes one. */
export async function writeCoreSettings({ config: file }: Paths, settings: Readonly<Record<string, unknown>>): Promise<void> {
  const { editConfigFile } = await import('../../server/config/editFile.js')
  for (const [key, value] of Object.entries(settings)) editConfigFile(file, key, value === null ? undefined : value)
}
