import { MantineProvider, Modal, MultiSelect } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { keys } from "@/api/query-keys";
import { mayLeave } from "./changed-forms";
import { Form } from "./form";
import { Elsewhere, TestRouter } from "./test-router";
import { theme } from "./theme";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function NameForm() {
  const [name, setName] = useState("web");
  return (
    <>
      <Form
        label="Host"
        call="host.update"
        draft={{ name }}
        submitText="Save"
        busy={false}
        onSubmit={() => {}}
        onCancel={() => {}}
      >
        <label>
          Name
          <input value={name} onChange={(event) => setName(event.currentTarget.value)} />
        </label>
      </Form>
      <Elsewhere />
      <Elsewhere done />
    </>
  );
}

async function open(denied: readonly string[] = []) {
  const client = new QueryClient();
  client.setQueryData(keys.session, { denied });
  render(
    <MantineProvider theme={theme} env="test">
      <QueryClientProvider client={client}>
        <TestRouter>
          <NameForm />
        </TestRouter>
      </QueryClientProvider>
    </MantineProvider>,
  );
  await screen.findByLabelText("Name");
  return userEvent.setup();
}

describe("leaving a form", () => {
  it("asks once something was changed, and the changes stay if one stays", async () => {
    const user = await open();
    expect(mayLeave()).toBe(true);
    await user.type(screen.getByLabelText("Name"), "01");
    await user.click(screen.getByText("Leave"));
    await screen.findByRole("dialog", { name: "Leave without saving?" });
    await user.click(screen.getByRole("button", { name: "Stay" }));
    expect(screen.getByLabelText<HTMLInputElement>("Name").value).toBe("web01");
    const confirm = vi.fn(() => false);
    vi.stubGlobal("confirm", confirm);
    expect(mayLeave()).toBe(false);
    expect(confirm).toHaveBeenCalledOnce();
    await user.click(screen.getByText("Leave"));
    await screen.findByRole("dialog", { name: "Leave without saving?" });
    await user.click(screen.getByRole("button", { name: "Leave" }));
    await screen.findByRole("heading", { name: "Elsewhere" });
    expect(mayLeave()).toBe(true);
  });

  it("does not ask when nothing is changed, or no longer", async () => {
    const user = await open();
    await user.type(screen.getByLabelText("Name"), "1{Backspace}");
    await user.click(screen.getByText("Leave"));
    await screen.findByRole("heading", { name: "Elsewhere" });
  });

  it("does not ask when the form itself is done: saved, cancelled, deleted", async () => {
    const user = await open();
    await user.type(screen.getByLabelText("Name"), "1");
    await user.click(screen.getByText("Done"));
    await screen.findByRole("heading", { name: "Elsewhere" });
  });
});

describe("a form of somebody who may not save it", () => {
  it("says so in words, and its fields and buttons are locked", async () => {
    await open(["host.update"]);
    screen.getByText("Read-only: your role does not allow changes.");
    expect(screen.getByLabelText("Name").closest("fieldset[disabled]")).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Save" })).toBeNull();
    screen.getByRole("button", { name: "Back" });
  });

  it("is as ever where another method is denied", async () => {
    await open(["host.create"]);
    screen.getByRole("button", { name: "Save" });
    expect(screen.getByLabelText("Name").closest("fieldset[disabled]")).toBeNull();
  });
});

function Groups() {
  const [value, setValue] = useState<string[]>([]);
  const data = [
    { value: "1", label: "Windows" },
    { value: "2", label: "Linux servers" },
  ];
  return (
    <>
      <MultiSelect label="Groups" data={data} searchable value={value} onChange={setValue} />
      <output>{value.join()}</output>
    </>
  );
}

describe("controls of the design system", () => {
  it("Enter takes the best hit of what was typed", async () => {
    render(
      <MantineProvider theme={theme} env="test">
        <Groups />
      </MantineProvider>,
    );
    const user = userEvent.setup();
    await user.type(screen.getByRole("combobox", { name: "Groups" }), "Linux{Enter}");
    expect(screen.getByRole("status").textContent).toBe("2");
  });

  it("the close button of a dialog has a name", () => {
    render(
      <MantineProvider theme={theme} env="test">
        <Modal opened onClose={() => {}} title="Rows">
          text
        </Modal>
      </MantineProvider>,
    );
    screen.getByRole("button", { name: "Close dialog" });
  });
});
