"""test_outputs.py - targets of -o: permissions, links, inputs, devices and pipes."""
import os
import shutil
import stat
import subprocess
import threading
import unittest

from flow import PATIENCE, TOOL, Flow, lines, main, not_sanitized

BIRDS = lines("wren", "robin", "heron", "kite")
ROOT = os.geteuid() == 0


class Outputs(Flow):
    def mode(self, name):
        return stat.S_IMODE((self.here / name).stat().st_mode)

    def rights(self, name):
        now = (self.here / name).stat()
        return now.st_uid, now.st_gid, self.mode(name)

    def writers(self):
        """A command of each kind that saves a filter as `out`, without the name."""
        self.made(BIRDS, "--kind", "bloom-filter", "--keys", "1000", "--fpr", "1%", name="grows")
        self.made(BIRDS, "--kind", "parquet-filter", "--keys", "1000", "--fpr", "1%", name="column")
        self.file("birds", BIRDS)
        self.assertEqual(self.umbel("compress", "grows", "-o", "message").returncode, 0)
        return [["build", "-q", "birds"], ["add", "grows", "birds"], ["merge", "grows", "grows"],
                ["intersect", "grows", "grows"], ["compress", "grows"], ["decompress", "message"],
                ["convert", "column", "--to", "parquet"]]

    def done(self, *words, **more):
        done = self.umbel(*words, **more)
        self.assertEqual((done.returncode, done.stderr), (0, b""), words)
        return done.stdout

    def bash(self, script, *words, **more):
        return subprocess.run(["bash", "-c", script, TOOL, *words], capture_output=True,
                              cwd=self.here, timeout=PATIENCE, **more)

    def test_the_mode_of_a_replaced_file_is_kept(self):
        for words in self.writers():
            for mode in [0o600, 0o640, 0o444, 0o666]:
                self.file("out", b"old")
                os.chmod(self.here / "out", mode)
                self.done(*words, "-o", "out")
                self.assertEqual(self.mode("out"), mode, words)
                self.assertNotEqual((self.here / "out").read_bytes(), b"old")
                (self.here / "out").unlink()
            old = os.umask(0o027)
            self.done(*words, "-o", "out")
            os.umask(old)
            self.assertEqual(self.mode("out"), 0o640, words)  # a new file has the user's mode
        key = self.file("key", b"0" * 16)
        path = self.made(BIRDS, "--kind", "bloom-filter", "--key-file", key, name="keyed")
        os.chmod(path, 0o600)
        self.done("add", path, "--key-file", key, given=b"jay\n")
        self.assertEqual(self.mode("keyed"), 0o600)

    @unittest.skipUnless(ROOT, "only root can give files away")
    def test_the_owner_is_kept(self):
        os.chmod(self.here, 0o777)
        for words in self.writers():
            self.file("out", b"old")
            os.chmod(self.here / "out", 0o640)
            os.chown(self.here / "out", 65534, 1234)
            self.done(*words, "-o", "out")
            self.assertEqual(self.rights("out"), (65534, 1234, 0o640), words)

    @unittest.skipUnless(ROOT, "only root can become another user")
    def test_who_cannot_keep_the_group_gives_his_own_group_no_more_than_others_had(self):
        os.chmod(self.here, 0o777)
        self.file("birds", BIRDS)
        for mode, becomes in [(0o640, 0o600), (0o664, 0o644), (0o660, 0o600), (0o604, 0o604)]:
            self.file("out", b"old")
            os.chmod(self.here / "out", mode)
            nobody = {"user": 65534, "group": 65534, "extra_groups": []}
            self.done("build", "-q", "birds", "-o", "out", **nobody)
            self.assertEqual(self.rights("out"), (65534, 65534, becomes))
            (self.here / "out").unlink()

    @unittest.skipUnless(shutil.which("setfacl"), "setfacl is not installed")
    def test_an_access_control_list_is_kept(self):
        self.file("birds", BIRDS)

        def access(name):
            return subprocess.run(["getfacl", "-cn", name], capture_output=True, cwd=self.here,
                                  check=True).stdout

        self.file("out", b"old")
        os.chmod(self.here / "out", 0o600)
        subprocess.run(["setfacl", "-m", "u:1234:r", "out"], cwd=self.here, check=True)
        before = access("out")
        self.assertIn(b"user:1234:r", before)
        self.done("build", "-q", "birds", "-o", "out")
        self.assertEqual(access("out"), before)
        # A folder's default list is for new files, not for one that was there.
        self.file("plain", b"old")
        os.chmod(self.here / "plain", 0o640)
        before = access("plain")
        subprocess.run(["setfacl", "-d", "-m", "u:1234:rw", "."], cwd=self.here, check=True)
        self.done("build", "-q", "birds", "-o", "plain")
        self.assertEqual(access("plain"), before)

    def test_links_are_written_through(self):
        for words in self.writers():
            for folder in ["there", "there/deep"]:
                os.makedirs(self.here / folder, exist_ok=True)
            self.file("there/out", b"old")
            os.symlink("there/out", self.here / "link")
            os.symlink("../../link", self.here / "there/deep/far")  # a link to a link
            os.symlink(self.here / "there/deep/far", self.here / "absolute")
            self.done(*words, "-o", "absolute")
            for name in ["link", "there/deep/far", "absolute"]:
                self.assertTrue((self.here / name).is_symlink(), name)
            self.assertFalse((self.here / "there/out").is_symlink())
            self.assertNotEqual((self.here / "there/out").read_bytes(), b"old")
            (self.here / "there/out").unlink()  # now they lead nowhere
            self.done(*words, "-o", "there/deep/far")
            self.assertTrue((self.here / "link").is_symlink())
            self.assertTrue((self.here / "there/out").is_file())
            self.assertEqual(sorted(os.listdir(self.here / "there")), ["deep", "out"])
            shutil.rmtree(self.here / "there")
            for name in ["link", "absolute"]:
                (self.here / name).unlink()

    def test_links_that_lead_nowhere_are_refused(self):
        self.file("birds", BIRDS)
        os.symlink("loop", self.here / "loop")
        os.symlink("no/such/folder", self.here / "lost")
        self.assert_refused(self.umbel("build", "-q", "birds", "-o", "loop"), "loop")
        self.assert_refused(self.umbel("build", "-q", "birds", "-o", "lost"), "no/such")
        self.assert_folder_holds("birds", "loop", "lost")

    def test_inputs_are_not_overwritten(self):
        (self.here / "sub").mkdir()
        self.file("in", BIRDS)
        os.link(self.here / "in", self.here / "hard")
        os.symlink("in", self.here / "soft")
        key = self.file("key", b"0" * 16)
        grows = ["--kind", "bloom-filter", "--keys", "1000", "--fpr", "1%"]
        self.made(BIRDS, *grows, name="set")
        self.made(BIRDS, *grows, "--key-file", key, name="keyed")
        self.made(BIRDS, "--kind", "parquet-filter", name="column")
        self.done("compress", "set", "-o", "message")
        for name in ["in", "./in", "sub/../in", "hard", "soft", self.here / "in"]:
            for words in [["build", "in"], ["build", "hard"], ["build", "soft"],
                          ["build", "key", "in"], ["build", "--exact", "--universe", "in", "key"],
                          ["add", "set", "in"], ["erase", "set", "in"]]:
                self.assert_refused(self.umbel(*words, "-o", name), "would be overwritten")
            for words in [["build"], ["build", "key", "-"], ["add", "set"]]:
                with open(self.here / "in", "rb") as given:
                    done = self.umbel(*words, "-o", name, stdin=given)
                    self.assert_refused(done, "standard input", "would be overwritten")
        for words, name in [(["build", "in", "--key-file", "key"], "key"),
                            (["add", "keyed", "in", "--key-file", "key"], "key"),
                            (["merge", "keyed", "keyed", "--key-file", "key"], "key"),
                            (["add", "set", "set"], "set"),
                            (["compress", "set"], "set"),
                            (["compress", "in", "--since", "set"], "set"),
                            (["decompress", "message"], "message"),
                            (["convert", "column", "--to", "parquet"], "column")]:
            before = (self.here / name).read_bytes()
            self.assert_refused(self.umbel(*words, "-o", name), name, "would be overwritten")
            self.assertEqual((self.here / name).read_bytes(), before)
        self.assertEqual((self.here / "in").read_bytes(), BIRDS)
        # Redirected by a shell: it was emptied already, but an empty filter is no answer.
        self.assertEqual(self.bash('"$0" build -q in >> in').returncode, 2)
        self.assertEqual((self.here / "in").read_bytes(), BIRDS)

    def test_a_filter_that_was_loaded_may_be_replaced(self):
        grows = ["--kind", "bloom-filter", "--keys", "1000", "--fpr", "1%"]
        self.made(BIRDS, *grows, name="a")
        self.made(lines("jay"), *grows, name="b")
        self.done("add", "a", "-o", "a", given=b"crow\n")
        self.done("merge", "a", "b", "-o", "a")
        self.assertEqual(self.done("query", "-c", "a", given=BIRDS + b"crow\njay\n"), b"6\n")
        self.done("compress", "a", "--since", "b", "-o", "change")
        self.done("decompress", "change", "--onto", "b", "-o", "b")
        self.assertEqual((self.here / "a").read_bytes(), (self.here / "b").read_bytes())

    def test_devices(self):
        for words in self.writers():
            plain = self.done(*words, "-o", "-")
            self.assertEqual(self.done(*words, "-o", "/dev/stdout"), plain, words)
            self.assertEqual(self.done(*words, "-o", "/dev/fd/1"), plain, words)
            self.assertEqual(self.done(*words, "-o", "/dev/null"), b"", words)
            self.assert_refused(self.umbel(*words, "-o", "/dev/full"), "/dev/full", "No space left")
            self.assert_refused(self.umbel(*words, "-o", "/dev/fd/99"), "/dev/fd/99")
        for device in ["/dev/null", "/dev/full"]:
            self.assertTrue(stat.S_ISCHR(os.stat(device).st_mode))

    @not_sanitized("a sanitized tool does not measure")
    def test_a_plot_is_written_to_a_device(self):
        bench = ["bench", "--keys", 10, "--kinds", "bloom-filter", "--plot", "/dev/stdout"]
        self.assertIn(b"<svg", self.umbel(*bench).stdout)

    def test_dev_stdout_is_written_where_it_stands(self):
        self.file("birds", BIRDS)
        plain = self.done("build", "-q", "birds")
        self.bash('{ printf before; "$0" build -q birds -o /dev/stdout; printf after; } > out')
        self.assertEqual((self.here / "out").read_bytes(), b"before" + plain + b"after")
        self.bash('printf before > out; "$0" build -q birds -o /dev/stdout >> out')
        self.assertEqual((self.here / "out").read_bytes(), b"before" + plain)
        done = self.umbel("build", "--json", "birds", "-o", "/dev/stdout")
        self.assert_refused(done, "--json")
        self.assert_folder_holds("birds", "out")

    def test_a_terminal_gets_no_filter(self):
        self.file("birds", BIRDS)
        master, terminal = os.openpty()
        for name in ["-", "/dev/stdout", os.ttyname(terminal)]:
            done = self.umbel("build", "-q", "birds", "-o", name, stdout=terminal,
                              stderr=subprocess.PIPE)
            self.assertEqual(done.returncode, 2)
            self.assertIn(b"terminal", done.stderr)
        os.close(terminal)
        os.close(master)

    def test_named_pipes(self):
        for words in self.writers():
            plain = self.done(*words, "-o", "-")
            os.mkfifo(self.here / "pipe")
            got = []
            reader = threading.Thread(target=lambda: got.append((self.here / "pipe").read_bytes()))
            reader.start()
            self.done(*words, "-o", "pipe")
            reader.join(60)
            self.assertEqual(got, [plain], words)
            self.assertTrue(stat.S_ISFIFO((self.here / "pipe").stat().st_mode))
            (self.here / "pipe").unlink()

    def test_process_substitution(self):
        self.file("birds", BIRDS)
        plain = self.done("build", "-q", "birds")
        self.made(BIRDS, name="set")
        for script, output in [('"$0" build -q <(cat birds)', plain),
                               ('"$0" build -q birds -o >(cat); sleep 0.3', plain),
                               ('"$0" query <(cat set) birds', BIRDS),
                               ('"$0" query --mmap <(cat set) birds', BIRDS),
                               ('"$0" query set <(cat birds)', BIRDS),
                               ('"$0" query <(cat set) <(cat birds)', BIRDS),
                               ('"$0" query /dev/stdin birds < set', BIRDS),
                               ('cat set | "$0" query /dev/stdin birds', BIRDS)]:
            done = self.bash(script)
            self.assertEqual((done.stdout, done.stderr), (output, b""), script)
        for command in ["info", "verify", "estimate"]:
            done = self.bash(f'"$0" {command} <(cat set)')
            self.assertEqual((done.returncode, done.stderr), (0, b""), command)
        self.made(BIRDS, "--kind", "bloom-filter", name="grows")
        both = self.bash('"$0" merge <(cat grows) <(cat grows)').stdout
        self.assertEqual(both, (self.here / "grows").read_bytes())
        self.assertEqual(self.bash('"$0" add -q <(cat grows) birds -o more').returncode, 0)
        self.assert_refused(self.bash('"$0" add -q <(cat grows) birds'), "-o FILE")
        done = self.bash('"$0" query <(cat birds) birds')
        self.assert_refused(done, "/dev/fd/", "not an umbel file")

    def test_what_is_neither_file_nor_stream_is_refused(self):
        self.file("birds", BIRDS)
        self.assert_refused(self.umbel("build", "-q", "birds", "-o", "."), "not a regular file")
        self.assert_refused(self.umbel("build", "-q", "birds", "-o", "birds/out"), "birds/out")


main()
