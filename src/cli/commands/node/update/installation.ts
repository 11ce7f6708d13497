/** Finds out how this copy of coffer was installed, from the place and the files of its package. */
import { basename, dirname, join } from 'node:path'
import type { Environment } from '../../../framework/paths.js'
import { shellLine } from '../../../framework/shell.js'

/** `sources` are those without git. `container` is a global installation within a container. */
type Means = 'npm-global' | 'npm-project' | 'npx' | 'checkout' | 'sources' | 'container' | 'unknown'

export interface Installation {
  means: Means
  /** Description of the means, for people. */
  description: string
  /** Command lines that update it, in order. */
  commands: string[]
  /** Note to read before running them. */
  note?: string
}

export interface Machine {
  env: Environment
  /** Path of Node.js. */
  execPath: string
  exists(path: string): boolean
  /** Returns the text of a file; undefined if it cannot be read. */
  read(path: string): string | undefined
}

/** Files that Docker and Podman create in containers. */
const CONTAINER_FILES = ['/.dockerenv', '/run/.containerenv']
/** Values of the variable `container` in images; systemd and LXC set others. */
const CONTAINER_ENGINES = ['docker', 'podman', 'oci']

/** Stands for the version to install in commands, until `--check` has found it. */
const PLACEHOLDER = '<version>'

/** Describes the installation in `root`, the folder of the package. `newest`: the version to install, if it is known to be published. */
export function installationOf(root: string, machine: Machine, newest?: string): Installation {
  const { exists } = machine
  if (exists(join(root, 'src')) && exists(join(root, 'build.js'))) return fromSources(root, exists(join(root, '.git')))
  const cache = /^(.*\/_npx\/[^/]+)\/node_modules\/coffer$/.exec(root)?.[1]
  if (cache !== undefined) return byNpx(machine.read(join(cache, 'package.json')), newest)
  const modules = dirname(root)
  const owner = dirname(modules)
  if (basename(modules) !== 'node_modules') return unknown(root)
  if (exists(join(owner, 'package.json'))) {
    return { means: 'npm-project', description: `npm, as a dependency of ${owner}`, ...install(['npm', 'install', '--prefix', owner], newest) }
  }
  const prefix = dirname(owner)
  if (basename(owner) !== 'lib' || !exists(join(prefix, 'bin/coffer'))) return unknown(root)
  return isContainer(machine) ? inContainer(prefix) : globally(prefix, machine, newest)
}

function fromSources(root: string, hasGit: boolean): Installation {
  const build = [`cd ${shellLine([root])}`, ...(hasGit ? ['git pull'] : []), 'npm ci', 'npm run build']
  if (hasGit) return { means: 'checkout', description: 'source checkout', commands: build }
  return { means: 'sources', description: 'sources without git', commands: build, note: 'First replace the sources by those of the new version.' }
}

function byNpx(text: string | undefined, newest: string | undefined): Installation {
  const specification = specificationIn(text)
  const isFile = specification === undefined || !/^coffer(@|$)/.test(specification)
  const from = newest !== undefined ? `coffer@${newest}` : isFile ? `./coffer-${PLACEHOLDER}.tgz` : 'coffer@latest'
  return {
    means: 'npx',
    description: `npx${specification === undefined ? '' : `, from ${specification}`}`,
    commands: [`npx ${from} start`],
    ...(newest === undefined && isFile ? { note: FILE_NOTE } : {}),
  }
}

/** Returns what npx was asked for, from the package.json of its folder. */
function specificationIn(text: string | undefined): string | undefined {
  try {
    const { _npx: about } = JSON.parse(text ?? '') as { _npx?: { packages?: unknown[] } }
    const [first] = about?.packages ?? []
    return typeof first === 'string' ? first : undefined
  } catch {
    return undefined
  }
}

function globally(prefix: string, { execPath }: Machine, newest: string | undefined): Installation {
  // The prefix of npm is the folder of Node.js unless it is configured.
  const isDefault = prefix === dirname(dirname(execPath))
  return {
    means: 'npm-global',
    description: `npm, globally in ${prefix}`,
    ...install(['npm', 'install', '--global', ...(isDefault ? [] : ['--prefix', prefix])], newest),
  }
}

const inContainer = (prefix: string): Installation => ({
  means: 'container',
  description: `npm, globally in ${prefix} of a container`,
  commands: ['docker compose build --pull', 'docker compose up --detach'],
  note: 'Run these on the host, in the folder of compose.yaml with the sources of the new version. Changes inside a container are lost with it.',
})

const unknown = (root: string): Installation => ({
  means: 'unknown',
  description: `unknown: ${root} belongs to no installation of npm`,
  commands: [],
  note: 'Update it with the program that installed it.',
})

const FILE_NOTE = `coffer-${PLACEHOLDER}.tgz stands for the package of the new version. To look for a published one: coffer update --check`

function install(words: readonly string[], newest: string | undefined): Pick<Installation, 'commands' | 'note'> {
  if (newest !== undefined) return { commands: [shellLine([...words, `coffer@${newest}`])] }
  return { commands: [`${shellLine(words)} ./coffer-${PLACEHOLDER}.tgz`], note: FILE_NOTE }
}

const isContainer = ({ env, exists }: Machine): boolean =>
  CONTAINER_FILES.some(exists) || CONTAINER_ENGINES.includes(env['container'] ?? '')
