import type { InLanguages } from '../../base/words.js'

interface SignInWords {
  title: string
  name: string
  password: string
  button: string
  wrong: string
  noAddress: string
  notOffered: string
  forgotten: string
  register: string
  refuse: string
}

export const signInWords: InLanguages<SignInWords> = {
  en: {
    title: 'Sign in',
    name: 'User name or e-mail address',
    password: 'Password',
    button: 'Sign in',
    wrong: 'The user name or the password is wrong.',
    noAddress: 'There is no account with this e-mail address.',
    notOffered: 'This node does not support the second factor of this account. Contact its operator.',
    forgotten: 'Forgot your password?',
    register: 'Create an account',
    refuse: 'Refuse and go back',
  },
  fr: {
    title: 'Se connecter',
    name: 'Nom d’utilisateur ou adresse e-mail',
    password: 'Mot de passe',
    button: 'Se connecter',
    wrong: 'Le nom d’utilisateur ou le mot de passe est incorrect.',
    noAddress: 'Il n’y a pas de compte avec cette adresse e-mail.',
    notOffered: 'Ce nœud ne prend pas en charge le second facteur de ce compte. Contactez son opérateur.',
    forgotten: 'Mot de passe oublié ?',
    register: 'Créer un compte',
    refuse: 'Refuser et revenir',
  },
  de: {
    title: 'Anmelden',
    name: 'Benutzername oder E-Mail-Adresse',
    password: 'Passwort',
    button: 'Anmelden',
    wrong: 'Der Benutzername oder das Passwort ist falsch.',
    noAddress: 'Es gibt kein Konto mit dieser E-Mail-Adresse.',
    notOffered: 'Dieser Knoten unterstützt den zweiten Faktor dieses Kontos nicht. Wenden Sie sich an dessen Betreiber.',
    forgotten: 'Passwort vergessen?',
    register: 'Konto erstellen',
    refuse: 'Ablehnen und zurück',
  },
}
