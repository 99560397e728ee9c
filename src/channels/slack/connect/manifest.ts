/** Holds the manifest from which Slack creates the app; docs/slack.md links to it. */
import { SLACK_EVENTS, SLACK_SCOPES } from './scopes.ts';

const manifest = {
  display_information: { name: 'Viber', description: 'The AI worker on your own machine' },
  features: {
    app_home: { home_tab_enabled: false, messages_tab_enabled: true, messages_tab_read_only_enabled: false },
    bot_user: { display_name: 'viber', always_online: true },
    agent_view: {
      agent_description: 'Works on tasks with you. A task keeps its plan and files on every platform.',
    },
    slash_commands: [
      {
        command: '/viber',
        description: 'Give your viber a task, or ask how it is going',
        usage_hint: 'GOAL, status, plan, tasks, open ID, help',
        should_escape: false,
      },
    ],
  },
  oauth_config: { scopes: { bot: SLACK_SCOPES } },
  settings: {
    event_subscriptions: { bot_events: SLACK_EVENTS },
    interactivity: { is_enabled: true },
    org_deploy_enabled: false,
    socket_mode_enabled: true,
    token_rotation_enabled: false,
  },
};

/** The text to paste. */
export const slackManifest = `${JSON.stringify(manifest, null, 2)}\n`;

/**
 * The page that creates the app, filled in with the manifest. JSON is the shorter of the two forms that Slack takes.
 * https://docs.slack.dev/app-manifests/configuring-apps-with-app-manifests/
 */
export const slackManifestLink = `https://api.slack.com/apps?new_app=1&manifest_json=${encodeURIComponent(JSON.stringify(manifest))}`;
