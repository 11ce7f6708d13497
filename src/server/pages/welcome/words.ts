/** Texts of the start page. */
import type { InLanguages } from '../../base/words.js'

interface WelcomeWords {
  title(service: string): string
  text: string
  signIn: string
  access: string
  register: string
  apps: string
  appsText: string
  build: string
  reference: string
  openapi: string
  more: string
  help: string
  version: string
}

export const welcomeWords: InLanguages<WelcomeWords> = {
  en: {
    title: (service) => `${service} is running`,
    text: 'This is a personal data node. It stores the data of its owners, and gives apps the access that owners allow.',
    signIn: 'Sign in',
    access: 'Who has access',
    register: 'Create an account',
    apps: 'Connect an app',
    appsText: 'Apps connect to this node with the address of its service information:',
    build: 'Build an app',
    reference: 'API reference',
    openapi: 'OpenAPI document',
    more: 'About this service',
    help: 'Help in the terminal:',
    version: 'API version',
  },
  fr: {
    title: (service) => `${service} fonctionne`,
    text: 'Ceci est un nœud de données personnelles. Il conserve les données de ses propriétaires et donne aux applications l’accès qu’ils autorisent.',
    signIn: 'Se connecter',
    access: 'Qui a accès',
    register: 'Créer un compte',
    apps: 'Connecter une application',
    appsText: 'Les applications se connectent à ce nœud avec l’adresse des informations du service :',
    build: 'Développer une application',
    reference: 'Référence de l’API',
    openapi: 'Document OpenAPI',
    more: 'À propos de ce service',
    help: 'Aide dans le terminal :',
    version: 'Version de l’API',
  },
  de: {
    title: (service) => `${service} läuft`,
    text: 'Dies ist ein Knoten für persönliche Daten. Er speichert die Daten seiner Besitzer und gibt Apps den Zugriff, den sie erlauben.',
    signIn: 'Anmelden',
    access: 'Wer Zugriff hat',
    register: 'Konto erstellen',
    apps: 'Eine App verbinden',
    appsText: 'Apps verbinden sich mit diesem Knoten über die Adresse seiner Dienstinformationen:',
    build: 'Eine App entwickeln',
    reference: 'API-Referenz',
    openapi: 'OpenAPI-Dokument',
    more: 'Über diesen Dienst',
    help: 'Hilfe im Terminal:',
    version: 'API-Version',
  },
}
