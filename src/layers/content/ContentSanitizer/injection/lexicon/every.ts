/** Names that are the same in every language. */
import type { Lexicon } from "../terms.ts"

export const EVERY: Lexicon = {
  name: "every language",
  terms: {
    rules: `prompt, prompts`,
    power: `admin, administrator*, openai, anthropic, platform*`,
    talk: `chat`,
    model: `
      llm, llms, gpt, gpt*, chatgpt, claude, gemini, copilot, mistral, deepseek, grok, qwen, llama,
      chatbot*, chat gpt, !AI, !LLM, codex, siri, alexa, perplexity`,
    bot: `bot, bots, agent, robot, autogpt, agents, model, robots, software, computer`,
    secret: `system prompt*, systemprompt*, *systemprompt*, system message*, sysprompt, preprompt*, pre prompt*, metaprompt*`,
    asset: `api key*, apikey*, api token*, ssh key*, cookies, webhook*, 2fa, otp, iban, cvv, cvc, passwd, token, tokens`,
    slot: `payload, parameter*, argument*`,
    path: `
      .ssh, id rsa, id ed25519, id ecdsa, .env, .env*, .aws, .kube, .netrc, .npmrc, .pypirc, .bash history,
      .zsh history, .gnupg, .docker/config, .git credentials, .gitconfig, .config/gh, .config/gcloud, .claude, .cursor, .codex, etc/passwd,
      etc/shadow, wallet dat, credentials json, secrets yaml, secrets json, .pgpass, .my cnf, .vault token,
      authorized keys, known hosts, proc/self/environ, keychain, .pem, etc/ssl/private, .azure, .terraform, kubeconfig,
      .mozilla, login data, passwords kdbx, *.kdbx, passwords txt, secrets toml, tokens json, config json, .password store, .config`,
    unbound: `!DAN, jailbreak, jailbroken`,
    act: `rm rf, sudo, chmod, git push, drop table, delete from, curl, wget`
  }
}
